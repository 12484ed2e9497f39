package io.holdfast.archfixtures.internal;

import java.time.Clock;
import java.time.Instant;

/** The ways to read a clock that may jump and that tests cannot move. */
public final class ReadsTheWallClock {
  private ReadsTheWallClock() {}

  /** As a number. */
  public static final class Millis {
    long read() {
      return System.currentTimeMillis();
    }
  }

  /** As a moment. */
  public static final class Now {
    Instant read() {
      return Instant.now();
    }
  }

  /** As an object. */
  public static final class OfTheSystem {
    Clock read() {
      return Clock.systemUTC();
    }
  }
}
