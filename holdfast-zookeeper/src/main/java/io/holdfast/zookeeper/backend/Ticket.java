package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The place of one owner in a line, as the name of its node says it: what it wants, who it is, and
 * the number that ZooKeeper gave it. The parts of a name are separated by tildes.
 *
 * <pre>
 *   lock~&lt;owner&gt;~0000000007           an exclusive lock
 *   read~... first~... write~...        a reader, a reader that may overtake, a writer
 *   permits~2~5~&lt;owner&gt;~0000000007    2 of 5 permits
 * </pre>
 *
 * @param name the name of the node
 * @param type what it wants
 * @param amount how much of it
 * @param limit how much there is, as the owner says
 * @param owner who
 * @param sequence the number; see {@link #isBefore}
 */
record Ticket(String name, Type type, int amount, int limit, Owner owner, int sequence) {
  static final char SEPARATOR = '~';

  /** What somebody wants. */
  enum Type {
    LOCK(Resource.Kind.LOCK),
    READ(Resource.Kind.READ_WRITE),
    FIRST(Resource.Kind.READ_WRITE),
    WRITE(Resource.Kind.READ_WRITE),
    PERMITS(Resource.Kind.SEMAPHORE);

    final Resource.Kind kind;

    Type(Resource.Kind kind) {
      this.kind = kind;
    }

    private String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Type of(Resource.Kind kind, Claim claim) {
      return switch (kind) {
        case LOCK -> LOCK;
        case SEMAPHORE -> PERMITS;
        case READ_WRITE -> claim.amount() > 1 ? WRITE : claim.overtakes() ? FIRST : READ;
        case LATCH -> throw new IllegalArgumentException("nobody stands in line for a latch");
      };
    }
  }

  /** How a name begins; ZooKeeper appends the number. */
  static String prefix(Resource.Kind kind, Claim claim, Owner owner) {
    Type type = Type.of(kind, claim);
    String amount = type == Type.PERMITS ? claim.amount() + "~" + claim.limit() + SEPARATOR : "";
    return type.text() + SEPARATOR + amount + Escape.encode(owner.toString()) + SEPARATOR;
  }

  /** Somebody who would come now: behind everyone else. */
  static Ticket newcomer(Resource.Kind kind, Claim claim, Owner owner, int after) {
    Type type = Type.of(kind, claim);
    return new Ticket("", type, claim.amount(), claim.limit(), owner, after + 1);
  }

  /** Reads a name; null if it is not one of ours. */
  static @Nullable Ticket parse(String name) {
    String[] parts = name.split("~", -1);
    try {
      if (parts.length == 3) {
        for (Type type : Type.values()) {
          if (type != Type.PERMITS && type.text().equals(parts[0])) {
            boolean all = type == Type.WRITE;
            int limit = type == Type.LOCK ? 1 : Claim.MOST_READERS;
            return new Ticket(
                name, type, all ? limit : 1, limit, owner(parts[1]), sequence(parts[2]));
          }
        }
      } else if (parts.length == 5 && Type.PERMITS.text().equals(parts[0])) {
        int amount = Integer.parseInt(parts[1]);
        int limit = Integer.parseInt(parts[2]);
        if (amount >= 0 && limit >= 0) {
          return new Ticket(name, Type.PERMITS, amount, limit, owner(parts[3]), sequence(parts[4]));
        }
      }
    } catch (IllegalArgumentException e) {
      return null; // somebody else's node
    }
    return null;
  }

  private static Owner owner(String text) {
    return Owner.parse(Escape.decode(text));
  }

  private static int sequence(String text) {
    if (text.length() < 10) {
      throw new IllegalArgumentException("not a sequence number: " + text);
    }
    return Integer.parseInt(text);
  }

  /**
   * True if it came earlier. The numbers of a parent are ints that may wrap around, so their
   * distance counts, not their size.
   */
  boolean isBefore(Ticket other) {
    return sequence - other.sequence < 0;
  }
}
