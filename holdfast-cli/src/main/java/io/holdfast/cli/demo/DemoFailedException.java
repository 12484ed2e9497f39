package io.holdfast.cli.demo;

import org.jspecify.annotations.Nullable;

/** The demo cannot go on. The message says all that a user needs to know. */
final class DemoFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
