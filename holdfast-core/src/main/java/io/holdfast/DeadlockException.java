package io.holdfast;

/**
 * Thrown at a caller who waits for a lock in a circle of callers who wait for each other, and who
 * was chosen to give way; see {@link DeadlockVictim}. What it holds it still holds: it should
 * release that and begin anew.
 *
 * <pre>{@code
 * first.lock();
 * try {
 *   second.run(() -> transfer());
 * } catch (DeadlockException e) {
 *   retryLater();
 * } finally {
 *   first.unlock();
 * }
 * }</pre>
 */
public class DeadlockException extends LockException {
  private static final long serialVersionUID = 1L;

  /** With the whole circle in the message. */
  public DeadlockException(String kind, String key, String message) {
    super(kind, key, message, null);
  }
}
