package io.holdfast.metrics;

import io.holdfast.Finding;
import io.holdfast.LockHealth;
import io.holdfast.LossReason;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * What {@link InMemoryMetrics} has counted since it was made. {@code toString()} is a table for
 * people.
 *
 * <pre>{@code
 * MetricsSnapshot.Family stock = metrics.snapshot().families().get("stock");
 * System.out.println(metrics.snapshot());
 * }</pre>
 *
 * @param families by the name of the family, in alphabetical order
 * @param managers how the open lock managers are now
 * @param checks by check of the watchdog
 * @param storeFindings what the watchdog found about the store as a whole, by kind
 * @param ping how fast the store answered the watchdog
 * @param messagesLost how often the messages of a store that answers did not reach this process
 */
public record MetricsSnapshot(
    Map<String, Family> families,
    List<LockHealth> managers,
    Map<Finding.Check, Checks> checks,
    Map<Finding.Kind, Long> storeFindings,
    Timing ping,
    long messagesLost) {

  /**
   * Durations: how many and how long. Percentiles are exact to 1 %, the maximum is exact.
   *
   * @param count how many
   * @param mean their mean; this and the others are zero if there are none
   * @param p50 half of them took no longer
   * @param p90 nine of ten took no longer
   * @param p99 99 of 100 took no longer
   * @param max the longest
   */
  public record Timing(
      long count, Duration mean, Duration p50, Duration p90, Duration p99, Duration max) {}

  /**
   * How often a check was made.
   *
   * @param ok it found everything as it should be
   * @param notOk it did not
   */
  public record Checks(long ok, long notOk) {}

  /**
   * Everything about the locks of one family.
   *
   * @param waited how long those waited who got the lock; its count is the number of holds begun
   * @param held how long it was held until it was released
   * @param passed how long those waited at a latch who were let through
   * @param gaveUp how often somebody did not get it, or left a latch before it was open: busy,
   *     interrupted, cancelled
   * @param failed how often somebody got a fault instead
   * @param requestsFailed how often something else that was asked of the store failed: a look, a
   *     forced release, the count of a latch
   * @param renewed how often a lease was extended
   * @param renewalsFailed how often the store did not answer a renewal
   * @param releasesFailed how often the store did not answer a release
   * @param degraded how often it was granted for this process alone
   * @param lost how often it was lost, by reason
   * @param findings what the watchdog found, by kind
   * @param alerts how many of those became alerts
   * @param recovered how often the watchdog put something right
   * @param recoveriesFailed how often it tried and could not
   */
  public record Family(
      Timing waited,
      Timing held,
      Timing passed,
      long gaveUp,
      long failed,
      long requestsFailed,
      long renewed,
      long renewalsFailed,
      long releasesFailed,
      long degraded,
      Map<LossReason, Long> lost,
      Map<Finding.Kind, Long> findings,
      long alerts,
      long recovered,
      long recoveriesFailed) {

    /** Copies the maps. */
    public Family {
      lost = Map.copyOf(lost);
      findings = Map.copyOf(findings);
    }

    /** How often the lock was had. */
    public long acquired() {
      return waited.count();
    }

    /** How often it was lost, for whatever reason. */
    public long losses() {
      return lost.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The share of those who wanted it that got it, or got past the latch; empty if nobody did. */
    public OptionalDouble acquireSuccessRate() {
      return share(acquired() + passed.count(), wanted());
    }

    /** The share of those who wanted it that got a fault; empty if nobody did. */
    public OptionalDouble errorRate() {
      return share(failed, wanted());
    }

    private long wanted() {
      return acquired() + passed.count() + gaveUp + failed;
    }

    /** The share of renewals that the store confirmed; empty if there were none. */
    public OptionalDouble renewalSuccessRate() {
      return share(renewed, renewed + renewalsFailed);
    }

    /** The share of recoveries that worked; empty if there were none. */
    public OptionalDouble recoverySuccessRate() {
      return share(recovered, recovered + recoveriesFailed);
    }

    private static OptionalDouble share(long part, long whole) {
      return whole == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) part / whole);
    }
  }

  /** Copies what is given. */
  public MetricsSnapshot {
    families = Collections.unmodifiableMap(new TreeMap<>(families));
    managers = List.copyOf(managers);
    checks = Map.copyOf(checks);
    storeFindings = Map.copyOf(storeFindings);
  }

  @Override
  public String toString() {
    return MetricsTable.of(this);
  }
}
