package io.holdfast.torture.check;

import java.time.Duration;

/**
 * What checkers must know about a run, and how patient they are.
 *
 * @param lease the longest lease that anybody asked for
 * @param margin what everything may take longer on a busy machine
 * @param grace how late a lost signal may be heard after the next grant: the callback needs a
 *     thread, which a busy machine may not give it in time. The belief itself, {@code isValid()},
 *     has no grace: {@code OneHolder} looks at that
 * @param idle for how long nobody may have a lock although somebody waits for it
 * @param resumes true if clients take a lock back that vanished, if nobody has had it since
 * @param budget how many steps the search for an order may take per model and key
 */
public record CheckSettings(
    Duration lease, Duration margin, Duration grace, Duration idle, boolean resumes, long budget) {

  private static final long USUAL_BUDGET = 20_000_000;

  /** For clients with this lease on an ordinary machine. */
  public static CheckSettings of(Duration lease) {
    return new CheckSettings(
        lease,
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        false,
        USUAL_BUDGET);
  }

  /** The same, with clients that may take a lock back. */
  public CheckSettings resuming() {
    return new CheckSettings(lease, margin, grace, idle, true, budget);
  }

  /** The same with more or less patience. */
  public CheckSettings patience(Duration newMargin, Duration newGrace, Duration newIdle) {
    return new CheckSettings(lease, newMargin, newGrace, newIdle, resumes, budget);
  }

  /** The same with another budget. */
  public CheckSettings budget(long newBudget) {
    return new CheckSettings(lease, margin, grace, idle, resumes, newBudget);
  }

  /** Lease and margin, in nanoseconds. */
  long recovery() {
    return lease.plus(margin).toNanos();
  }
}
