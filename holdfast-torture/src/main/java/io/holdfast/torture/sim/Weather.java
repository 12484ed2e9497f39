package io.holdfast.torture.sim;

import java.time.Duration;

/**
 * How bad the network and the machines are, as probabilities.
 *
 * @param lostRequest a request never arrives
 * @param lostReply its answer never does
 * @param repeatedRequest a request arrives twice, the second time whenever
 * @param lostSignal a signal of the store never arrives
 * @param repeatedSignal a signal arrives twice
 * @param late a message takes up to {@code latest} instead of a millisecond or two
 * @param latest how late
 * @param pause a client stops for up to {@code longestPause}, per second
 * @param longestPause for how long
 * @param removal somebody deletes a key by hand, per second: this breaks the assumption under which
 *     there is one holder, and the tokens must tell them apart
 */
public record Weather(
    double lostRequest,
    double lostReply,
    double repeatedRequest,
    double lostSignal,
    double repeatedSignal,
    double late,
    Duration latest,
    double pause,
    Duration longestPause,
    double removal) {

  /** True if no request arrives after it was given up. */
  boolean isPrompt() {
    return repeatedRequest == 0 && latest.toNanos() < Network.TIMEOUT;
  }

  /** True if every request is answered at once. */
  boolean isCalm() {
    return isPrompt() && lostRequest == 0 && lostReply == 0 && late == 0 && pause == 0;
  }

  /** Nothing goes wrong. */
  public static final Weather FINE =
      new Weather(0, 0, 0, 0, 0, 0, Duration.ofMillis(1), 0, Duration.ZERO, 0);

  /** Everything that the promises allow for goes wrong. */
  public static final Weather STORMY =
      new Weather(
          0.03,
          0.03,
          0.02,
          0.10,
          0.05,
          0.05,
          Duration.ofSeconds(3),
          0.20,
          Duration.ofSeconds(4),
          0);

  /**
   * Somebody deletes keys. No request arrives so late that it was given up before: one that takes a
   * lock anew for an owner whose hold was deleted would hide the deletion (ADR 5).
   */
  public static final Weather VANDALS =
      new Weather(
          0.01,
          0.01,
          0,
          0.05,
          0.02,
          0.02,
          Duration.ofMillis(400),
          0.05,
          Duration.ofSeconds(2),
          0.3);

  /**
   * Somebody deletes keys, and nothing else goes wrong: so it is certain when the store is asked
   * and what it says.
   */
  public static final Weather DELETIONS =
      new Weather(0, 0, 0, 0, 0, 0, Duration.ofMillis(1), 0, Duration.ZERO, 1);
}
