package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The place of one owner in a line, as the name of its node says it: what the owner wants, who it
 * is, and the sequence number that ZooKeeper gave the node. The fields of a name are separated by
 * tildes.
 *
 * <pre>
 *   lock~&lt;owner&gt;~0000000007           an exclusive lock
 *   read~... first~... write~...        a reader, a reader that may overtake, a writer
 *   permits~2~5~&lt;owner&gt;~0000000007    2 of 5 permits
 * </pre>
 *
 * @param name the name of the node
 * @param type the kind of claim
 * @param amount how much the owner wants
 * @param limit how much there is in all, as the owner declares it
 * @param owner the owner
 * @param sequence the sequence number; see {@link #isBefore}
 */
record Ticket(String name, Type type, int amount, int limit, Owner owner, int sequence) {
  static final char SEPARATOR = '~';

  /** The kinds of claims. */
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
        case LATCH -> throw new IllegalArgumentException("a latch has no line");
      };
    }
  }

  /** The beginning of a name; ZooKeeper appends the sequence number. */
  static String prefix(Resource.Kind kind, Claim claim, Owner owner) {
    Type type = Type.of(kind, claim);
    String amount = type == Type.PERMITS ? claim.amount() + "~" + claim.limit() + SEPARATOR : "";
    return type.text() + SEPARATOR + amount + Escape.encode(owner.toString()) + SEPARATOR;
  }

  /** The ticket that an owner would get now: behind all others. */
  static Ticket newcomer(Resource.Kind kind, Claim claim, Owner owner, int after) {
    Type type = Type.of(kind, claim);
    return new Ticket("", type, claim.amount(), claim.limit(), owner, after + 1);
  }

  /** Parses a name; null if it is not the name of a ticket. */
  static @Nullable Ticket parse(String name) {
    String[] fields = name.split("~", -1);
    try {
      if (fields.length == 3) {
        for (Type type : Type.values()) {
          if (type != Type.PERMITS && type.text().equals(fields[0])) {
            boolean all = type == Type.WRITE;
            int limit = type == Type.LOCK ? 1 : Claim.MOST_READERS;
            return new Ticket(
                name, type, all ? limit : 1, limit, owner(fields[1]), sequence(fields[2]));
          }
        }
      } else if (fields.length == 5 && Type.PERMITS.text().equals(fields[0])) {
        int amount = Integer.parseInt(fields[1]);
        int limit = Integer.parseInt(fields[2]);
        if (amount >= 0 && limit >= 0) {
          return new Ticket(
              name, Type.PERMITS, amount, limit, owner(fields[3]), sequence(fields[4]));
        }
      }
    } catch (IllegalArgumentException e) {
      return null; // a node that Holdfast has not created
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
   * True if this owner came earlier. The sequence numbers of a container are ints that may wrap
   * around, so their distance counts, not their size.
   */
  boolean isBefore(Ticket other) {
    return sequence - other.sequence < 0;
  }
}
