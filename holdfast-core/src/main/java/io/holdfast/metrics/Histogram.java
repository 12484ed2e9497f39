package io.holdfast.metrics;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts durations so that percentiles can be read with an error of at most 1/128 (0.8 %), without
 * keeping them. Recording takes no lock and allocates nothing once a magnitude was seen.
 *
 * <pre>
 *   nanoseconds    0 ... 63 | 64 ....... 127 | 128 ...... 255 | 256 ...... 511 | ...   to 292 years
 *   cells             64    |       64       |       64       |       64       |
 *   width of a cell    1    |        1       |        2       |        4       |
 * </pre>
 *
 * <p>A percentile is the middle of its cell, which is off by half the width at most: 1/128 of the
 * smallest value there. The cells of a magnitude are made when it is first met, so one histogram of
 * ordinary times is a few kilobytes.
 */
final class Histogram {
  private static final int BITS = 6;
  private static final int CELLS = 1 << BITS;
  private static final int MAGNITUDES = 64 - BITS;

  private final AtomicReferenceArray<AtomicLongArray> magnitudes =
      new AtomicReferenceArray<>(MAGNITUDES);
  private final LongAdder sum = new LongAdder();
  private final LongAccumulator max = new LongAccumulator(Math::max, 0);

  /** Counts one; what is negative counts as nothing. */
  public void record(Duration duration) {
    record(nanos(duration));
  }

  /** Counts one. */
  public void record(long nanoseconds) {
    long nanos = Math.max(0, nanoseconds);
    int magnitude = magnitude(nanos);
    AtomicLongArray cells = magnitudes.get(magnitude);
    if (cells == null) {
      magnitudes.compareAndSet(magnitude, null, new AtomicLongArray(CELLS));
      cells = magnitudes.get(magnitude);
    }
    max.accumulate(nanos);
    sum.add(nanos);
    cells.incrementAndGet(cell(nanos, magnitude));
  }

  /** What was counted so far; while others go on counting it is a little more or less. */
  public Counts counts() {
    long[][] copy = new long[MAGNITUDES][];
    long count = 0;
    for (int magnitude = 0; magnitude < MAGNITUDES; magnitude++) {
      AtomicLongArray cells = magnitudes.get(magnitude);
      copy[magnitude] = new long[cells == null ? 0 : CELLS];
      for (int cell = 0; cell < copy[magnitude].length; cell++) {
        copy[magnitude][cell] = cells == null ? 0 : cells.get(cell);
        count += copy[magnitude][cell];
      }
    }
    return new Counts(copy, count, sum.sum(), max.get());
  }

  /** What was counted up to some moment. */
  public static final class Counts {
    private final long[][] cells;
    private final long count;
    private final long sum;
    private final long max;

    private Counts(long[][] cells, long count, long sum, long max) {
      this.cells = cells;
      this.count = count;
      this.sum = sum;
      this.max = max;
    }

    /** How many. */
    public long count() {
      return count;
    }

    /** Their mean; zero if there are none. */
    public Duration mean() {
      return Duration.ofNanos(count == 0 ? 0 : sum / count);
    }

    /** The longest, exactly. */
    public Duration max() {
      return Duration.ofNanos(max);
    }

    /**
     * The duration that this share of all does not exceed; zero if there are none.
     *
     * @param share 0.99 for the 99th percentile
     */
    public Duration percentile(double share) {
      long rank = Math.max(1, (long) Math.ceil(share * count));
      long seen = 0;
      for (int magnitude = 0; magnitude < cells.length; magnitude++) {
        for (int cell = 0; cell < cells[magnitude].length; cell++) {
          seen += cells[magnitude][cell];
          if (seen >= rank) {
            return Duration.ofNanos(Math.min(max, middle(magnitude, cell)));
          }
        }
      }
      return Duration.ZERO;
    }
  }

  // Magnitude 0 has a cell for each value below 64; magnitude m the values of m + BITS bits.

  private static int magnitude(long nanos) {
    return Math.max(0, 64 - Long.numberOfLeadingZeros(nanos) - BITS);
  }

  private static int cell(long nanos, int magnitude) {
    return (int) (nanos >>> Math.max(0, magnitude - 1)) & (CELLS - 1);
  }

  private static long middle(int magnitude, int cell) {
    if (magnitude == 0) {
      return cell;
    }
    long width = 1L << (magnitude - 1);
    return (CELLS + cell) * width + width / 2;
  }

  private static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }
}
