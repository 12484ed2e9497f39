package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store refused what was asked, for a reason that trying again does not cure: no permission, a
 * key that is something else than a lock, a server that is too old.
 */
public class StoreException extends LockException {
  private static final long serialVersionUID = 1L;

  /** With a cause. */
  public StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
