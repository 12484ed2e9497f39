package io.holdfast;

/** The {@link LockManager} was closed, before the call or while it waited. */
public class LockManagerClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /**
   * Says what cannot be used any more.
   *
   * @param kind lock, read-write lock, multi-lock, semaphore or latch
   * @param key its key
   */
  public LockManagerClosedException(String kind, String key) {
    super(kind + " '" + key + "': the lock manager is closed; create a new one to go on");
  }
}
