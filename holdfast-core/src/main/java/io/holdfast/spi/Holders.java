package io.holdfast.spi;

import java.util.Locale;

/** Which of the holders of a resource are meant: all of them, or one side of a read-write lock. */
public enum Holders {
  /** Everyone. */
  ALL,
  /** Of a read-write lock those who read. */
  READERS,
  /** Of a read-write lock the one who writes. */
  WRITERS;

  /** True if a holder of this amount is meant. */
  public boolean include(int amount) {
    return switch (this) {
      case ALL -> true;
      case READERS -> amount == Claim.READ.amount();
      case WRITERS -> amount == Claim.WRITE.amount();
    };
  }

  /** A word for it, as scripts of a store may want it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
