package io.holdfast;

/**
 * The {@link LockManager} was closed, before the call or while it waited.
 *
 * <pre>{@code
 * try {
 *   lock.lock();
 * } catch (LockManagerClosedException e) {
 *   return;                       // the application shuts down
 * }
 * }</pre>
 */
public class LockManagerClosedException extends LockException {
  private static final long serialVersionUID = 1L;

  /** Says what cannot be used any more. */
  public LockManagerClosedException(String kind, String key) {
    super(
        kind,
        key,
        kind + " '" + key + "': the lock manager is closed; create a new one to go on",
        null);
  }
}
