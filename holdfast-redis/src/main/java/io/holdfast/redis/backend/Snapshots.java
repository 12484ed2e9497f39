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
import org.jspecify.annotations.Nullable;

/** Reads the answer of {@code inspect.lua}. */
final class Snapshots {
  private Snapshots() {}

  static LockSnapshot read(List<Object> answer) {
    long left = (Long) answer.get(0);
    return new LockSnapshot(holder(left, strings(answer.get(1))), waiters(strings(answer.get(2))));
  }

  private static LockSnapshot.@Nullable Holder holder(long left, List<String> fields) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i + 1 < fields.size(); i += 2) {
      values.put(fields.get(i), fields.get(i + 1));
    }
    for (Map.Entry<String, String> field : values.entrySet()) {
      if (!field.getKey().startsWith("@")) {
        Owner owner = Owner.parse(field.getKey());
        Meta meta = Meta.parse(values.getOrDefault("@meta", ""));
        return new LockSnapshot.Holder(
            meta.client(owner.clientId()),
            owner,
            meta.thread(),
            micros(values.getOrDefault("@since", "0")),
            left,
            TokenBlock.ofTick(Long.parseLong(values.getOrDefault("@tick", "1"))).first(),
            Integer.parseInt(field.getValue()));
      }
    }
    return null;
  }

  private static List<LockSnapshot.Waiter> waiters(List<String> pairs) {
    List<LockSnapshot.Waiter> waiters = new ArrayList<>();
    for (int i = 0; i + 1 < pairs.size(); i += 2) {
      Owner owner = Owner.parse(pairs.get(i));
      String[] parts = pairs.get(i + 1).split(String.valueOf(Meta.SEPARATOR), 4);
      if (parts.length == 4) {
        Meta meta = Meta.parse(parts[3]);
        waiters.add(
            new LockSnapshot.Waiter(
                meta.client(owner.clientId()), owner, meta.thread(), micros(parts[0])));
      }
    }
    return waiters;
  }

  private static Instant micros(String text) {
    return Instant.EPOCH.plus(Long.parseLong(text), ChronoUnit.MICROS);
  }

  private static List<String> strings(Object list) {
    return ((List<?>) list).stream().map(String::valueOf).toList();
  }
}
