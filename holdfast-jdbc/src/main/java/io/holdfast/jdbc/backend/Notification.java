package io.holdfast.jdbc.backend;

import io.holdfast.spi.Owner;
import io.holdfast.spi.TokenBlock;
import io.holdfast.spi.state.StateSignal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message to another process through the database: {@code NOTIFY} on a channel that only this
 * process listens to. Any user of the database can send one, so it counts only if it names a tenure
 * with which this process waits; the id of a tenure cannot be guessed.
 *
 * @param channel the channel of the receiving process
 * @param payload the message: {@code granted tick at lease wanted tenure}, {@code changed tenure},
 *     ...
 */
record Notification(String channel, String payload) {
  /** Longer than any valid lease. */
  private static final long MAX_LEASE_MILLIS = 400L * 24 * 3600 * 1000;

  /** The content of a payload. */
  sealed interface Content {
    /** The tenure that the message concerns. */
    String tenureId();
  }

  /** The receiver holds the lock since this time, by the clock of the database. */
  record Granted(String tenureId, long tick, long atMicros, long leaseMillis, boolean contended)
      implements Content {}

  /** Another owner waits for the lock of the receiver. */
  record Contended(String tenureId) implements Content {}

  /** The receiver has lost the lock. */
  record Lost(String tenureId) implements Content {}

  /** The lock has changed; the receiver should try again. */
  record Changed(String tenureId) implements Content {}

  static String channelOf(String clientId) {
    return "holdfast_" + Row.idOf(clientId).substring(0, 32);
  }

  /** The notifications to processes other than this one. */
  static List<Notification> to(Rows rows, String ownClientId) {
    List<Notification> notifications = new ArrayList<>();
    for (Rows.OwnerSignal each : rows.signals()) {
      Owner owner = each.signal().owner();
      if (!owner.clientId().equals(ownClientId)) {
        notifications.add(
            new Notification(
                channelOf(owner.clientId()), payload(each.signal(), rows.nowMicros())));
      }
    }
    return notifications;
  }

  private static String payload(StateSignal signal, long at) {
    String tenure = signal.owner().tenureId();
    if (signal instanceof StateSignal.Granted granted) {
      return "granted %d %d %d %d %s"
          .formatted(
              TokenBlock.tickOf(granted.tokens()),
              at,
              granted.leaseMillis(),
              granted.contended() ? 1 : 0,
              tenure);
    } else if (signal instanceof StateSignal.Contended) {
      return "wanted " + tenure;
    } else if (signal instanceof StateSignal.Lost) {
      return "lost " + tenure;
    }
    return "changed " + tenure;
  }

  /** Parses a payload; null if Holdfast has not written it. */
  static @Nullable Content read(String payload) {
    String[] words = payload.split(" ", 6);
    try {
      return switch (words[0]) {
        case "granted" -> granted(words);
        case "wanted" -> new Contended(words[1]);
        case "lost" -> new Lost(words[1]);
        case "changed" -> new Changed(words[1]);
        default -> null;
      };
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return null;
    }
  }

  /** Null for a tick or a lease outside of the valid range. */
  private static @Nullable Content granted(String[] words) {
    long tick = Long.parseLong(words[1]);
    long lease = Long.parseLong(words[3]);
    if (tick < 1 || tick >= 1L << 52 || lease < 1 || lease > MAX_LEASE_MILLIS) {
      return null;
    }
    return words[5].isEmpty()
        ? null
        : new Granted(words[5], tick, Long.parseLong(words[2]), lease, words[4].equals("1"));
  }
}
