package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store did not answer for as long as the caller, or {@link LockConfig#storeTimeout()}, was
 * willing to wait, or could not be reached when the manager was made. Whether the lock was taken is
 * not known; Holdfast goes on in the background to make sure that it is not left behind.
 *
 * <pre>{@code
 * try {
 *   lock.lock();
 * } catch (StoreUnavailableException e) {
 *   retryLater();                 // or see Fallback
 * }
 * }</pre>
 */
public class StoreUnavailableException extends StoreException {
  private static final long serialVersionUID = 1L;

  /** Of the store as a whole. */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Of what has this key. */
  public StoreUnavailableException(
      String kind, String key, String message, @Nullable Throwable cause) {
    super(kind, key, message, cause);
  }
}
