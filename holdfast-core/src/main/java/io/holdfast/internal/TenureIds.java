package io.holdfast.internal;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Ids for tenures: a number for people, and 63 random bits so that nobody can guess the next. A
 * generator that is safe for this is slow to ask, so it is asked for many at a time.
 */
final class TenureIds {
  private static final int AT_A_TIME = 64;

  private final RandomGenerator random;
  private final AtomicLong counter = new AtomicLong();
  private final ByteBuffer unused = ByteBuffer.allocate(AT_A_TIME * Long.BYTES).limit(0);

  TenureIds(RandomGenerator random) {
    this.random = random;
  }

  String next() {
    return Long.toString(counter.incrementAndGet(), 36) + '-' + Long.toString(secret() >>> 1, 36);
  }

  private synchronized long secret() {
    if (!unused.hasRemaining()) {
      random.nextBytes(unused.array());
      unused.clear();
    }
    return unused.getLong();
  }
}
