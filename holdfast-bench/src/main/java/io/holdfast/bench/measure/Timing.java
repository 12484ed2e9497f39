package io.holdfast.bench.measure;

import java.time.Duration;

/**
 * How long and how often things are done.
 *
 * @param name of this set
 * @param rounds how often every subject has its turn
 * @param mostWarmUp before the first round of a subject in a scenario, unless the compilers of its
 *     processes have gone quiet before; an eighth of it before each further one
 * @param warmUp at least before each further one
 * @param slice what is measured in a round
 * @param watch for how long commands are watched with MONITOR, once per subject and scenario
 * @param holding for how long many locks are kept alive
 * @param holdings how often that is done
 * @param heldLocks how many
 * @param heapLocks how many are made to weigh them
 * @param virtualThreads how many want locks at a time
 * @param stealLimit the share of stolen CPU time above which a round is dropped and repeated
 * @param microSeconds how long an iteration of a microbenchmark takes
 */
public record Timing(
    String name,
    int rounds,
    Duration mostWarmUp,
    Duration warmUp,
    Duration slice,
    Duration watch,
    Duration holding,
    int holdings,
    int heldLocks,
    int heapLocks,
    int virtualThreads,
    double stealLimit,
    double microSeconds) {
  /** Minutes: an indication, of processes that are not quite warm where they are slow. */
  public static final Timing QUICK =
      new Timing(
          "quick",
          2,
          Duration.ofSeconds(6),
          Duration.ofMillis(200),
          Duration.ofMillis(500),
          Duration.ofMillis(100),
          Duration.ofSeconds(10),
          1,
          10_000,
          10_000,
          20_000,
          0.01,
          0.2);

  /** An hour for everything. */
  public static final Timing SHORT =
      new Timing(
          "short",
          5,
          Duration.ofSeconds(40),
          Duration.ofMillis(200),
          Duration.ofMillis(800),
          Duration.ofMillis(100),
          Duration.ofSeconds(60),
          1,
          10_000,
          10_000,
          20_000,
          0.01,
          0.5);

  /** Hours. */
  public static final Timing LONG =
      new Timing(
          "long",
          7,
          Duration.ofSeconds(60),
          Duration.ofMillis(500),
          Duration.ofSeconds(5),
          Duration.ofMillis(200),
          Duration.ofSeconds(60),
          3,
          10_000,
          20_000,
          100_000,
          0.01,
          2);

  /** Just enough to see that everything works; the figures mean nothing. */
  public static final Timing SMOKE =
      new Timing(
          "smoke",
          1,
          Duration.ofMillis(50),
          Duration.ofMillis(50),
          Duration.ofMillis(500), // a busy machine does something, too
          Duration.ofMillis(200),
          Duration.ofSeconds(4),
          1,
          200,
          1_000,
          2_000,
          1,
          0.1);
}
