package io.holdfast;

/** The lock was busy for the whole time the caller was willing to wait. Says who holds it. */
public class LockTimeoutException extends LockException {
  private static final long serialVersionUID = 1L;

  /** Says who holds the lock and how long was waited. */
  public LockTimeoutException(String message) {
    super(message, null);
  }
}
