package io.holdfast;

import org.jspecify.annotations.Nullable;

/** Base of the faults a lock can report. Contention is not among them: that is a result. */
public class LockException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With a cause. */
  public LockException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
