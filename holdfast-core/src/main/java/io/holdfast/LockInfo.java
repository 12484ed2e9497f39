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
 * <pre>{@code
 * LockInfo info = lock.info();
 * System.out.println(info);      // lock 'stock:42' is held by orders, process 4711 on web-3, ...
 * info.holder().ifPresent(holder -> System.out.println(holder.application()));
 * }</pre>
 *
 * @param kind lock, read-write lock, multi-lock or semaphore
 * @param key the lock
 * @param holders who holds it: at most one for an exclusive lock, any number of readers or holders
 *     of permits
 * @param waiters waiting processes, the next one first
 * @param localWaiters threads and futures of this process that wait behind {@code waiters} or the
 *     holder
 */
public record LockInfo(
    String kind, String key, List<Holder> holders, List<Waiter> waiters, int localWaiters) {

  /** Copies the lists. */
  public LockInfo {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /**
   * A holder.
   *
   * @param application what the holding application calls itself
   * @param host its machine
   * @param pid its process
   * @param thread the thread, or the one that made the handle; for a holder in another process the
   *     thread that took the lock into that process
   * @param owner its id in the store
   * @param claim what it holds: {@code exclusive}, {@code read}, {@code write} or {@code 3 permits}
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
      String claim,
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
      return "%s, process %d on %s, thread '%s' (%s), since %s, lease ends in %d ms, token %d, entered %d x"
          .formatted(
              application, pid, host, thread, claim, since, remaining.toMillis(), token, holdCount);
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
   * @param claim what it wants
   * @param since when it came, by the clock of the store
   */
  public record Waiter(
      String application,
      String host,
      long pid,
      String thread,
      String owner,
      String claim,
      Instant since) {
    @Override
    public String toString() {
      return "%s, process %d on %s, thread '%s' (%s), since %s"
          .formatted(application, pid, host, thread, claim, since);
    }
  }

  /** The holder, or the one who has held longest where there may be several. */
  public Optional<Holder> holder() {
    return holders.stream().findFirst();
  }

  /** True when somebody holds it. */
  public boolean isLocked() {
    return !holders.isEmpty();
  }

  @Override
  public String toString() {
    return "%s '%s' is %s%s"
        .formatted(
            kind,
            key,
            holders.isEmpty() ? "free" : "held by " + list(holders),
            waiters.isEmpty() ? "" : "; waiting: " + list(waiters));
  }

  private static String list(List<?> entries) {
    return entries.stream().map(Object::toString).collect(Collectors.joining("; "));
  }
}
