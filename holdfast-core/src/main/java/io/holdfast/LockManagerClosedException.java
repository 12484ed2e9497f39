package io.holdfast;

/** The {@link LockManager} was closed, before the call or while it waited. */
public class LockManagerClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /** Names the lock. */
  public LockManagerClosedException(String key) {
    super("lock '" + key + "': the lock manager is closed; create a new one to go on");
  }
}
