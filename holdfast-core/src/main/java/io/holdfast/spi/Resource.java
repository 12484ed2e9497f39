package io.holdfast.spi;

import java.util.Locale;

/**
 * Something in the store that can be claimed. A key is of one kind at a time: using it as another
 * is an error.
 *
 * @param kind what it is
 * @param key its name
 */
public record Resource(Kind kind, String key) {
  /** The kinds there are. */
  public enum Kind {
    /** A mutual exclusion lock: one holder. */
    LOCK,
    /** A read-write lock: many readers or one writer. */
    READ_WRITE,
    /** A semaphore: permits shared out among holders. */
    SEMAPHORE,
    /** A count-down latch: nothing is held, whoever asks passes once the count is zero. */
    LATCH;

    /** The name in stores. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The name in messages. */
    public String label() {
      return this == READ_WRITE ? "read-write lock" : text();
    }
  }

  /** A lock. */
  public static Resource lock(String key) {
    return new Resource(Kind.LOCK, key);
  }

  @Override
  public String toString() {
    return kind.label() + " '" + key + "'";
  }
}
