package io.holdfast.cli.demo;

import org.jspecify.annotations.Nullable;

/** The demo cannot even begin as it was asked to; nothing was changed anywhere. */
final class DemoRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
