package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * A fault that will not go away by trying again: no permission, a key of another type, a server
 * that is too old. The message says what to do about it. While connecting it may also be one that
 * {@linkplain #unavailable goes away}: a server that is down.
 */
public final class BackendException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean mayPass;

  /** Says what is wrong and what to do. */
  public BackendException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  private BackendException(String message, @Nullable Throwable cause, boolean mayPass) {
    super(message, cause);
    this.mayPass = mayPass;
  }

  /** The store cannot be reached, for a reason that may pass: it is down, starting or silent. */
  public static BackendException unavailable(String message, @Nullable Throwable cause) {
    return new BackendException(message, cause, true);
  }

  /** True if trying again later may help. */
  public boolean mayPass() {
    return mayPass;
  }
}
