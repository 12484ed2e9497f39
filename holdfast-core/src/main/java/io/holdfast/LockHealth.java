package io.holdfast;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a lock manager and its store are at the moment. Asking costs no round trip: the watchdog has
 * looked within its last period.
 *
 * <pre>{@code
 * LockHealth health = manager.health();
 * return health.isHealthy() ? "up, holds " + health.held() : "down: " + health.findings();
 * }</pre>
 *
 * @param engine the kind of store
 * @param reachable true if the store answered when it was last asked
 * @param latency how long its last answer took; null before the first
 * @param connections how many connections to the store are open now; of a data source that was
 *     lent, how many are borrowed. Always 0 for a store in memory
 * @param reconnects how often the connection was lost and came back
 * @param held how many locks and permits this manager holds
 * @param waiting how many threads and futures of this manager wait: for a lock, for permits, at a
 *     latch. Those who have a request of their own in the store and those behind another of their
 *     process
 * @param waitingLocally how many of these are behind another of their process, which holds the lock
 *     or asks the store for it; the store does not know of them
 * @param degraded how many of the held are process-local because the store was unreachable
 * @param findings what the watchdog found in its last checks
 */
public record LockHealth(
    String engine,
    boolean reachable,
    @Nullable Duration latency,
    int connections,
    long reconnects,
    int held,
    int waiting,
    int waitingLocally,
    int degraded,
    List<Finding> findings) {

  /** Copies the list. */
  public LockHealth {
    findings = List.copyOf(findings);
  }

  /** True if the store answers and nothing critical was found. */
  public boolean isHealthy() {
    return reachable
        && findings.stream().noneMatch(each -> each.severity() == Finding.Severity.CRITICAL);
  }
}
