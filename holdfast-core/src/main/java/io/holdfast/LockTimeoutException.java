package io.holdfast;

/**
 * The lock was busy for the whole time the caller was willing to wait. Says who holds it.
 *
 * <pre>{@code
 * try {
 *   lock.waitUpTo(ofSeconds(5)).run(() -> sell());
 * } catch (LockTimeoutException e) {
 *   return busy(e.getMessage());  // lock 'stock:42' is held by orders, process 4711 on web-3, ...
 * }
 * }</pre>
 */
public class LockTimeoutException extends LockException {
  private static final long serialVersionUID = 1L;

  /** Says who holds the lock and how long was waited. */
  public LockTimeoutException(String kind, String key, String message) {
    super(kind, key, message, null);
  }
}
