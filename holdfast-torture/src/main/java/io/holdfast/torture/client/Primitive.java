package io.holdfast.torture.client;

import java.util.List;
import java.util.Locale;

/** What is locked, and under which keys. A few keys each, so that clients meet. */
public enum Primitive {
  /** A lock. */
  LOCK(5, "lock-a", "lock-b", "multi-a"),
  /** A fair lock. */
  FAIR(2, "fair-a"),
  /**
   * A fair lock that each client has one thread for, so that it can be told who came first. The
   * second key is for the time after the last fault: no call that was given up has a place there.
   */
  TURNS(0, "turns-a", "turns-calm"),
  /** The read side of a read-write lock. */
  READ(2, "rw-a"),
  /** The write side. */
  WRITE(2, "rw-a"),
  /** A semaphore. */
  SEMAPHORE(3, "sem-a"),
  /** A latch. */
  LATCH(2, "latch-a"),
  /** Several keys at once. */
  MULTI(2, "multi-a", "multi-b"),
  /** One of several segments. */
  SEGMENT(2, "seg:0", "seg:1", "seg:2");

  /** How many permits the semaphore has. */
  public static final int PERMITS = 3;

  /** The name of the segmented lock. */
  public static final String SEGMENTED = "seg";

  private final int weight;

  @SuppressWarnings("ImmutableEnumChecker") // never changed
  private final List<String> keys;

  Primitive(int weight, String... keys) {
    this.weight = weight;
    this.keys = List.of(keys);
  }

  /** How often it is drawn, compared with others; 0 if a thread of its own asks for it. */
  int weight() {
    return weight;
  }

  /** The keys it is used with. */
  public List<String> keys() {
    return keys;
  }

  /** True if there is at most one holder, so that the token orders all of them. */
  boolean exclusive() {
    return this == LOCK || this == FAIR || this == TURNS || this == WRITE || this == SEGMENT;
  }

  /** As the history has it. */
  String label() {
    return (this == TURNS ? FAIR : this).name().toLowerCase(Locale.ROOT);
  }
}
