package io.holdfast.redis.backend;

import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import org.jspecify.annotations.Nullable;

/**
 * A message to this client. Anyone who may publish can write into an inbox, so whatever does not
 * read as one of our messages is no message.
 */
sealed interface InboxMessage {
  /** Longer than any lease there is. */
  long MOST_LEASE_MILLIS = 400L * 24 * 3600 * 1000;

  /** Whom it concerns. */
  Owner owner();

  /** A release has given the resource to this waiter. */
  record Granted(
      Owner owner, long tick, long atMicros, long leaseMillis, boolean wanted, Resource resource)
      implements InboxMessage {}

  /** Somebody began to wait for what this holder has. */
  record Wanted(Owner owner) implements InboxMessage {}

  /** What this one holds was forced open. */
  record Lost(Owner owner) implements InboxMessage {}

  /** Something happened to what this one waits for. */
  record Changed(Owner owner) implements InboxMessage {}

  /** Reads a message; null if it is none. */
  static @Nullable InboxMessage parse(String text) {
    String separator = String.valueOf(Meta.SEPARATOR);
    String[] parts = text.split(separator, 8); // the key comes last and may contain anything
    try {
      if (parts.length == 8 && parts[0].equals("granted")) {
        return granted(parts);
      }
      if (parts.length != 2) {
        return null;
      }
      Owner owner = Owner.parse(parts[1]);
      return switch (parts[0]) {
        case "wanted" -> new Wanted(owner);
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
    Resource.Kind kind = kind(parts[6]);
    if (tick < 1 || tick >= 1L << 52 || lease < 1 || lease > MOST_LEASE_MILLIS || kind == null) {
      return null;
    }
    return new Granted(
        Owner.parse(parts[1]),
        tick,
        Long.parseLong(parts[3]),
        lease,
        parts[5].equals("1"),
        new Resource(kind, parts[7]));
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
