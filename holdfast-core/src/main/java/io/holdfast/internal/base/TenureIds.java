package io.holdfast.internal.base;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Ids for tenures: a number for people, and 64 random bits so that nobody can guess the next. One
 * is made for every acquisition, so it has to be cheap: a generator that is safe for this is slow
 * to ask and therefore asked for many at a time, and the text is written by hand instead of by
 * {@code Long.toUnsignedString}, which makes ten objects of it.
 */
public final class TenureIds {
  private static final byte[] DIGITS =
      "0123456789abcdefghijklmnopqrstuv".getBytes(StandardCharsets.ISO_8859_1);

  private static final int BITS = 5;
  private static final int LONGEST = 13; // digits of 64 bits
  private static final int AT_A_TIME = 64;

  private final RandomGenerator random;
  private final AtomicLong counter = new AtomicLong();
  private final ByteBuffer unused = ByteBuffer.allocate(AT_A_TIME * Long.BYTES).limit(0);

  public TenureIds(RandomGenerator random) {
    this.random = random;
  }

  public String next() {
    byte[] text = new byte[2 * LONGEST + 1];
    int dash = write(secret(), text, text.length) - 1;
    text[dash] = '-';
    int start = write(counter.incrementAndGet(), text, dash);
    return new String(text, start, text.length - start, StandardCharsets.ISO_8859_1);
  }

  private synchronized long secret() {
    if (!unused.hasRemaining()) {
      random.nextBytes(unused.array());
      unused.clear();
    }
    return unused.getLong();
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
