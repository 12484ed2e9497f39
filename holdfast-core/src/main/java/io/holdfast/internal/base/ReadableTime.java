package io.holdfast.internal.base;

import java.time.Duration;

/** Durations for people: {@code 30 s}, {@code 1500 ms}, {@code 5 min}. */
public final class ReadableTime {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private ReadableTime() {}

  /** In the largest unit that divides it; what divides none, to the millisecond. */
  public static String of(Duration time) {
    long nanos = time.toNanos();
    if (nanos == 0) {
      return "0 s";
    }
    if (nanos % DAY == 0) {
      return nanos / DAY + " d";
    }
    if (nanos % HOUR == 0) {
      return nanos / HOUR + " h";
    }
    if (nanos % MINUTE == 0) {
      return nanos / MINUTE + " min";
    }
    if (nanos % SECOND == 0) {
      return nanos / SECOND + " s";
    }
    return Math.abs(nanos) < MILLI ? nanos / 1_000 + " us" : nanos / MILLI + " ms";
  }
}
