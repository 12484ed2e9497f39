package io.holdfast.redis.backend;

import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.TokenBlock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses the answers of {@code inspect.lua}, {@code pool_inspect.lua} and {@code
 * latch_inspect.lua}.
 */
final class Snapshots {
  private static final String SEPARATOR = String.valueOf(Meta.SEPARATOR);

  private Snapshots() {}

  static LockSnapshot ofLock(List<Object> answer) {
    long left = (Long) answer.get(0);
    List<String> fields = strings(answer.get(1));
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i + 1 < fields.size(); i += 2) {
      values.put(fields.get(i), fields.get(i + 1));
    }
    List<LockSnapshot.Holder> holders = new ArrayList<>();
    values.forEach(
        (field, value) -> {
          if (!field.startsWith("@")) {
            holders.add(
                holder(
                    field,
                    1,
                    values.getOrDefault("@since", "0"),
                    values.getOrDefault("@tick", "1"),
                    values.getOrDefault("@meta", ""),
                    left,
                    number(value)));
          }
        });
    return new LockSnapshot(holders, waiters(strings(answer.get(2))), 1);
  }

  static LockSnapshot ofPool(List<Object> answer) {
    List<String> parts = strings(answer.get(1));
    List<LockSnapshot.Holder> holders = new ArrayList<>();
    for (int i = 0; i + 2 < parts.size(); i += 3) {
      String[] text = parts.get(i + 1).split(SEPARATOR, 4);
      if (text.length == 4) {
        long left = Long.parseLong(parts.get(i + 2));
        int amount = Integer.parseInt(text[0]);
        holders.add(holder(parts.get(i), amount, text[1], text[2], text[3], left, 1));
      }
    }
    int limit = ((Long) answer.get(0)).intValue();
    return new LockSnapshot(holders, waiters(strings(answer.get(2))), limit);
  }

  static LockSnapshot ofLatch(List<Object> answer) {
    return LockSnapshot.ofLatch((Long) answer.get(0), waiters(strings(answer.get(1))));
  }

  private static LockSnapshot.Holder holder(
      String owner, int amount, String since, String tick, String text, long left, int holds) {
    Owner parsed = owner(owner);
    Meta meta = Meta.parse(text);
    return new LockSnapshot.Holder(
        meta.client(parsed.clientId()),
        parsed,
        amount,
        meta.thread(),
        micros(since),
        left,
        TokenBlock.ofTick(Long.parseLong(tick)).first(),
        holds);
  }

  private static List<LockSnapshot.Waiter> waiters(List<String> pairs) {
    List<LockSnapshot.Waiter> waiters = new ArrayList<>();
    for (int i = 0; i + 1 < pairs.size(); i += 2) {
      Owner owner = owner(pairs.get(i));
      String[] text = pairs.get(i + 1).split(SEPARATOR, 6);
      if (text.length == 6) {
        Meta meta = Meta.parse(text[5]);
        waiters.add(
            new LockSnapshot.Waiter(
                meta.client(owner.clientId()),
                owner,
                Integer.parseInt(text[3]),
                meta.thread(),
                micros(text[0]),
                text[4]));
      }
    }
    return waiters;
  }

  /** A lock of another library in the same form may name its owner in another way. */
  private static Owner owner(String text) {
    return text.indexOf(':') < 0 ? new Owner("unknown", text) : Owner.parse(text);
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static Instant micros(String text) {
    return Instant.EPOCH.plus(Long.parseLong(text), ChronoUnit.MICROS);
  }

  private static List<String> strings(Object list) {
    return ((List<?>) list).stream().map(String::valueOf).toList();
  }
}
