package io.holdfast.internal.observe;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.SettingControl;
import org.jspecify.annotations.Nullable;

/**
 * The setting {@code longerThan} of our events: shorter waits and holds are not recorded, unless it
 * is zero. Somebody who records all the time, as many do, must not get a million events a second
 * because locks are handed from thread to thread. The threshold that Flight Recorder has itself is
 * for events that were begun, and ours are only told when they are over.
 */
final class FlightThreshold extends SettingControl {
  private static final String USUAL = "10 ms";
  private static final Pattern TIME = Pattern.compile("(\\d{1,9}) *(ns|us|ms|s)");

  private volatile String combined = USUAL;
  private volatile String value = USUAL;
  private volatile long nanos = nanos(USUAL);

  boolean isExceededBy(long duration) {
    return duration >= nanos;
  }

  /** Whoever of those who record wants the most decides; what cannot be read does not count. */
  @Override
  public String combine(Set<String> values) {
    combined =
        values.stream()
            .filter(each -> nanos(each) >= 0)
            .min((a, b) -> Long.compare(nanos(a), nanos(b)))
            .orElse(USUAL);
    return combined;
  }

  /**
   * @param wanted null on JDK 17, which forgets what {@link #combine} has just said
   */
  @Override
  public void setValue(@Nullable String wanted) {
    String chosen = wanted == null ? combined : wanted;
    value = nanos(chosen) < 0 ? USUAL : chosen;
    nanos = nanos(value);
  }

  @Override
  public String getValue() {
    return value;
  }

  private static long nanos(String text) {
    Matcher matcher = TIME.matcher(text.strip());
    if (!matcher.matches()) {
      return -1;
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ns" -> number;
      case "us" -> TimeUnit.MICROSECONDS.toNanos(number);
      case "ms" -> TimeUnit.MILLISECONDS.toNanos(number);
      default -> TimeUnit.SECONDS.toNanos(number);
    };
  }
}
