package io.holdfast.redis.backend;

import io.holdfast.spi.Owner;
import org.jspecify.annotations.Nullable;

/**
 * A message to this client. Anyone who may publish can write into an inbox, so whatever does not
 * read as one of our messages is no message.
 */
sealed interface InboxMessage {
  /** The lock. */
  String key();

  /** Whom it concerns. */
  Owner owner();

  /** A release has given the lock to this waiter. */
  record Granted(
      Owner owner, long tick, long atMicros, long leaseMillis, boolean wanted, String key)
      implements InboxMessage {}

  /** Somebody began to wait for a lock of this holder. */
  record Wanted(Owner owner, String key) implements InboxMessage {}

  /** The lock was forced open. */
  record Lost(Owner owner, String key) implements InboxMessage {}

  /** Reads a message; null if it is none. */
  static @Nullable InboxMessage parse(String text) {
    String separator = String.valueOf(Meta.SEPARATOR);
    try {
      if (text.startsWith("granted" + separator)) {
        String[] parts = text.split(separator, 7);
        long tick = Long.parseLong(parts[2]);
        long lease = Long.parseLong(parts[4]);
        if (tick < 1 || tick >= 1L << 52 || lease < 1) {
          return null;
        }
        return new Granted(
            Owner.parse(parts[1]),
            tick,
            Long.parseLong(parts[3]),
            lease,
            parts[5].equals("1"),
            parts[6]);
      }
      String[] parts = text.split(separator, 3);
      if (parts.length == 3 && parts[0].equals("wanted")) {
        return new Wanted(Owner.parse(parts[1]), parts[2]);
      }
      if (parts.length == 3 && parts[0].equals("lost")) {
        return new Lost(Owner.parse(parts[1]), parts[2]);
      }
      return null;
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      return null;
    }
  }
}
