package io.holdfast.bench.lock;

/** The kinds of locks that are measured. */
public enum LockKind {
  /** A mutual exclusion lock in the library's usual form. */
  PLAIN(true),
  /** One that waits by trying again. */
  SPIN(true),
  /** One that waits for a message. */
  PUBSUB(true),
  /** One that is granted in order of arrival. */
  FAIR(true),
  /** One with fencing tokens, where they are not part of every lock. */
  FENCED(true),
  /** One whose release does not wait for the store's answer. */
  PIPELINED(true),
  /** One that stays with a process for a while after its last use. */
  LINGER(true),
  /** The read side of a read-write lock. */
  READ(false),
  /** The write side of a read-write lock. */
  WRITE(true),
  /** A read-write lock with nine readers to one writer. */
  READ_WRITE(false),
  /** A semaphore of {@link #PERMITS} permits. */
  SEMAPHORE(false),
  /** The same with a lease for each permit, where that is a kind of its own. */
  LEASED_SEMAPHORE(false);

  /** How many permits the semaphores have. */
  public static final int PERMITS = 4;

  private final boolean exclusive;

  LockKind(boolean exclusive) {
    this.exclusive = exclusive;
  }

  /** True if at most one may be inside. */
  public boolean exclusive() {
    return exclusive;
  }
}
