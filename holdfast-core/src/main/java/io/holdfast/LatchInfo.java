package io.holdfast;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A look at a count-down latch: its count and who waits for zero, in all processes. {@link
 * #toString()} answers in one line for a log or a terminal.
 *
 * <pre>{@code
 * LatchInfo info = latch.info();
 * if (!info.isOpen()) {
 *   log.info("{}", info);        // latch 'migration' is closed with a count of 2; waiting: ...
 * }
 * }</pre>
 *
 * @param key the latch
 * @param count how often it has still to be counted down; zero if it is open
 * @param waiters who waits, each thread and each future by itself, in no particular order: all are
 *     let through together. Not those who have been let through and have not noticed yet
 */
public record LatchInfo(String key, long count, List<LockInfo.Waiter> waiters) {

  /** Copies the list. */
  public LatchInfo {
    waiters = List.copyOf(waiters);
  }

  /** True if nobody has to wait. */
  public boolean isOpen() {
    return count == 0;
  }

  @Override
  public String toString() {
    String waiting = waiters.stream().map(Object::toString).collect(Collectors.joining("; "));
    return "latch '%s' is %s%s"
        .formatted(
            key,
            isOpen() ? "open" : "closed with a count of " + count,
            waiters.isEmpty() ? "" : "; waiting: " + waiting);
  }
}
