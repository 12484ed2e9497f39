package io.holdfast.torture.run;

import io.holdfast.torture.check.CheckSettings;
import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.client.Primitive;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.store.EngineName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What to run.
 *
 * @param engines which engines, one after the other
 * @param time how long each is worked on, the quiet time at the end included
 * @param quiet how much of it, at the end, is without faults; if zero, what is left at the end does
 *     not matter: clients are killed, and nothing is looked for
 * @param clients how many client processes
 * @param threads how many threads in each
 * @param longHolds how many of a hundred holds last longer than the lease
 * @param seed what faults and operations are drawn from
 * @param faults which faults, as far as an engine can suffer them
 * @param broken the name of a broken engine to use instead of the real one, or empty
 * @param out where histories go
 * @param patience what the checkers allow
 * @param primitives what clients work with
 * @param enough looks at verdicts about the history so far, once a second, and ends the work early;
 *     only if there is no quiet time
 */
public record TortureSettings(
    List<EngineName> engines,
    Duration time,
    Duration quiet,
    int clients,
    int threads,
    int longHolds,
    long seed,
    Set<FaultKind> faults,
    String broken,
    Path out,
    CheckSettings patience,
    Set<Primitive> primitives,
    Predicate<List<Verdict>> enough) {
  /** So many are long unless told otherwise. */
  public static final int USUAL_LONG_HOLDS = 2;

  /** Short, so that faults beyond it fit into a run. */
  public static final Duration LEASE = Duration.ofMillis(1500);

  /**
   * Enough for everything to be obtainable again, and for the order of fair locks to be compared: a
   * lease after the last fault that begins.
   */
  public static final Duration QUIET = LEASE.plusMillis(3500);
}
