package io.holdfast.internal;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Ids for tenures: a number for people, and 64 random bits so that nobody can guess the next. Made
 * for every acquisition, so written by hand instead of by {@code Long.toUnsignedString}, which
 * makes ten objects of it.
 */
final class TenureIds {
  private static final byte[] DIGITS =
      "0123456789abcdefghijklmnopqrstuv".getBytes(StandardCharsets.ISO_8859_1);

  private static final int BITS = 5;
  private static final int LONGEST = 13; // digits of 64 bits

  private final RandomGenerator random;
  private final AtomicLong counter = new AtomicLong();

  TenureIds(RandomGenerator random) {
    this.random = random;
  }

  String next() {
    byte[] text = new byte[2 * LONGEST + 1];
    int dash = write(random.nextLong(), text, text.length) - 1;
    text[dash] = '-';
    int start = write(counter.incrementAndGet(), text, dash);
    return new String(text, start, text.length - start, StandardCharsets.ISO_8859_1);
  }

  /** Writes the number so that it ends before a place; where it begins. */
  private static int write(long number, byte[] text, int end) {
    int at = end;
    long left = number;
    do {
      text[--at] = DIGITS[(int) (left & (DIGITS.length - 1))];
      left >>>= BITS;
    } while (left != 0);
    return at;
  }
}
