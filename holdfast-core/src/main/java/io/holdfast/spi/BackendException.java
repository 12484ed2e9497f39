package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * A fault that will not go away by trying again: no permission, a key of another type, a server
 * that is too old. The message says what to do about it.
 */
public final class BackendException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says what is wrong and what to do. */
  public BackendException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
