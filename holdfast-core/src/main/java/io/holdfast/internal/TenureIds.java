package io.holdfast.internal;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Ids for tenures: a number for people, and 64 random bits so that nobody can guess the next. */
final class TenureIds {
  private final SecureRandom random = new SecureRandom();
  private final AtomicLong counter = new AtomicLong();

  String next() {
    return Long.toString(counter.incrementAndGet(), 36)
        + '-'
        + Long.toUnsignedString(random.nextLong(), 36);
  }
}
