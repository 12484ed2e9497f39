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
 * @param confirmation how long somebody may believe in a lock that its process has handed on
 *     although the store knows it as another's: half a second, which is the interval in which the
 *     library asks, and the answer
 * @param budget how many steps the search for an order may take per model and key
 */
public record CheckSettings(
    Duration lease,
    Duration margin,
    Duration grace,
    Duration idle,
    Duration confirmation,
    boolean resumes,
    long budget) {

  private static final long USUAL_BUDGET = 20_000_000;

  /** By a clock that may be slow by one per cent. */
  private static final Duration CONFIRMATION_INTERVAL = Duration.ofMillis(505);

  /** For clients with this lease on an ordinary machine. */
  public static CheckSettings of(Duration lease) {
    return new CheckSettings(
        lease,
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        CONFIRMATION_INTERVAL.plusSeconds(5),
        false,
        USUAL_BUDGET);
  }

  /** The same, with clients that may take a lock back. */
  public CheckSettings resuming() {
    return new CheckSettings(lease, margin, grace, idle, confirmation, true, budget);
  }

  /** The same with more or less patience. */
  public CheckSettings patience(Duration newMargin, Duration newGrace, Duration newIdle) {
    return new CheckSettings(lease, newMargin, newGrace, newIdle, confirmation, resumes, budget);
  }

  /** The same for a store that takes so long for an answer, of which there may be two. */
  public CheckSettings answers(Duration within) {
    Duration confirmed = CONFIRMATION_INTERVAL.plus(within.multipliedBy(2));
    return new CheckSettings(lease, margin, grace, idle, confirmed, resumes, budget);
  }

  /** The same with another budget. */
  public CheckSettings budget(long newBudget) {
    return new CheckSettings(lease, margin, grace, idle, confirmation, resumes, newBudget);
  }

  /** Lease and margin, in nanoseconds. */
  long recovery() {
    return lease.plus(margin).toNanos();
  }
}
