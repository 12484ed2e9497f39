package io.holdfast.redis.backend;

import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import org.jspecify.annotations.Nullable;

/**
 * A message to this client. Anyone who may publish can write into an inbox, so text that does not
 * parse as one of these messages is ignored.
 */
sealed interface InboxMessage {
  /** Longer than any lease there is. */
  long MOST_LEASE_MILLIS = 400L * 24 * 3600 * 1000;

  /** The owner that the message is about. */
  Owner owner();

  /**
   * A release has granted the resource to this waiter.
   *
   * @param othersSinceMicros since when other waiters wait; 0 if there are none
   */
  record Granted(
      Owner owner,
      long tick,
      long atMicros,
      long leaseMillis,
      long othersSinceMicros,
      Resource resource)
      implements InboxMessage {}

  /**
   * Other clients wait for what this owner holds.
   *
   * @param sinceMicros since when the first of them waits; 0 if not known
   */
  record Contended(Owner owner, long sinceMicros) implements InboxMessage {}

  /** The hold of this owner was forced open. */
  record Lost(Owner owner) implements InboxMessage {}

  /** The resource that this owner waits for has changed. */
  record Changed(Owner owner) implements InboxMessage {}

  /** Parses a message; null if the text is none. */
  static @Nullable InboxMessage parse(String text) {
    String separator = String.valueOf(Meta.SEPARATOR);
    String[] parts = text.split(separator, 8); // the key comes last and may contain anything
    try {
      if (parts.length == 8 && parts[0].equals("granted")) {
        return granted(parts);
      }
      if (parts.length == 3 && parts[0].equals("wanted")) {
        long since = Long.parseLong(parts[2]);
        return isTime(since) ? new Contended(Owner.parse(parts[1]), since) : null;
      }
      if (parts.length != 2) {
        return null;
      }
      Owner owner = Owner.parse(parts[1]);
      return switch (parts[0]) {
        case "wanted" -> new Contended(owner, 0);
        case "lost" -> new Lost(owner);
        case "changed" -> new Changed(owner);
        default -> null;
      };
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static @Nullable InboxMessage granted(String[] parts) {
    long tick = Long.parseLong(parts[2]);
    long lease = Long.parseLong(parts[4]);
    long othersSince = Long.parseLong(parts[5]);
    Resource.Kind kind = kind(parts[6]);
    if (tick < 1 || tick >= 1L << 52 || lease < 1 || lease > MOST_LEASE_MILLIS || kind == null) {
      return null;
    }
    if (!isTime(othersSince)) {
      return null;
    }
    return new Granted(
        Owner.parse(parts[1]),
        tick,
        Long.parseLong(parts[3]),
        lease,
        othersSince,
        new Resource(kind, parts[7]));
  }

  /** True for microseconds since 1970, or 0, that fit into nanoseconds. */
  private static boolean isTime(long micros) {
    return micros >= 0 && micros < 1L << 52;
  }

  private static Resource.@Nullable Kind kind(String text) {
    for (Resource.Kind kind : Resource.Kind.values()) {
      if (kind.text().equals(text)) {
        return kind;
      }
    }
    return null;
  }
}
