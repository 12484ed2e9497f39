package io.holdfast.internal;

import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Ids for tenures: a number for people, and 64 random bits so that nobody can guess the next. */
final class TenureIds {
  private final RandomGenerator random;
  private final AtomicLong counter = new AtomicLong();

  TenureIds(RandomGenerator random) {
    this.random = random;
  }

  String next() {
    return Long.toString(counter.incrementAndGet(), 36)
        + '-'
        + Long.toUnsignedString(random.nextLong(), 36);
  }
}
