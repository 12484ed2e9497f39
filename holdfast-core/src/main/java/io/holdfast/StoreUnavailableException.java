package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store did not answer for as long as the caller, or {@link LockConfig#storeTimeout()}, was
 * willing to wait, or could not be reached when the manager was made. Whether the lock was taken is
 * not known; Holdfast goes on in the background to make sure that it is not left behind.
 */
public class StoreUnavailableException extends StoreException {
  private static final long serialVersionUID = 1L;

  /** With a cause. */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
