package io.holdfast.spi;

import java.time.Instant;

/** Time as it is injected everywhere, so that tests can move it. */
public interface TimeSource {
  /** The monotonic clock; the only one that deadlines are made of. */
  long nanoTime();

  /** The wall clock, for messages, for people, and never for a comparison with another machine. */
  Instant now();

  /** The clocks of this machine. */
  static TimeSource system() {
    return SystemTime.INSTANCE;
  }
}
