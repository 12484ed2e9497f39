package io.holdfast;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A look at a lock: who holds it, since when, until when, and who waits. {@link #toString()}
 * answers in one line for a log or a terminal.
 *
 * @param key the lock
 * @param holder who holds it
 * @param waiters waiting processes, the next one first
 * @param localWaiters threads and futures of this process that wait behind {@code waiters} or the
 *     holder
 */
public record LockInfo(
    String key, Optional<Holder> holder, List<Waiter> waiters, int localWaiters) {

  /**
   * A holder.
   *
   * @param application what the holding application calls itself
   * @param host its machine
   * @param pid its process
   * @param thread the thread, or the one that made the handle; for a holder in another process the
   *     thread that took the lock into that process
   * @param owner its id in the store
   * @param since when it got the lock, by the clock of the store
   * @param remaining when the lease ends unless it is renewed
   * @param token its fencing token
   * @param holdCount how often it has entered
   */
  public record Holder(
      String application,
      String host,
      long pid,
      String thread,
      String owner,
      Instant since,
      Duration remaining,
      long token,
      int holdCount) {

    /** When the lease ends unless it is renewed, counted from the given moment. */
    public Instant until(Instant now) {
      return now.plus(remaining);
    }

    @Override
    public String toString() {
      return "%s, process %d on %s, thread '%s', since %s, lease ends in %d ms, token %d, entered %d x"
          .formatted(application, pid, host, thread, since, remaining.toMillis(), token, holdCount);
    }
  }

  /**
   * A waiting process.
   *
   * @param application what the waiting application calls itself
   * @param host its machine
   * @param pid its process
   * @param thread the thread that waits
   * @param owner its id in the store
   * @param since when it came, by the clock of the store
   */
  public record Waiter(
      String application, String host, long pid, String thread, String owner, Instant since) {
    @Override
    public String toString() {
      return "%s, process %d on %s, thread '%s', since %s"
          .formatted(application, pid, host, thread, since);
    }
  }

  /** True when somebody holds it. */
  public boolean isLocked() {
    return holder.isPresent();
  }

  @Override
  public String toString() {
    String held = holder.map(h -> "held by " + h).orElse("free");
    String waiting =
        waiters.isEmpty()
            ? ""
            : waiters.stream()
                .map(Waiter::toString)
                .collect(Collectors.joining("; ", "; waiting: ", ""));
    return "lock '" + key + "' is " + held + waiting;
  }
}
