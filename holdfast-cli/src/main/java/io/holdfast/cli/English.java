package io.holdfast.cli;

import java.time.Duration;
import java.util.Locale;

/** Numbers as English text has them, whatever the language of the machine. */
public final class English {
  private English() {}

  /** For instance 3,418. */
  public static String number(long number) {
    return String.format(Locale.ENGLISH, "%,d", number);
  }

  /** For instance 1 item, 2 items. */
  public static String count(long number, String one, String many) {
    return number(number) + " " + (number == 1 ? one : many);
  }

  /** For instance 0.4 ms, 38 ms. */
  public static String millis(Duration time) {
    double millis = time.toNanos() / 1e6;
    return String.format(Locale.ENGLISH, millis < 10 ? "%.1f ms" : "%,.0f ms", millis);
  }

  /** For instance 2.4 s. */
  public static String seconds(Duration time) {
    return String.format(Locale.ENGLISH, "%.1f s", time.toNanos() / 1e9);
  }
}
