package io.holdfast.internal.engine;

import io.holdfast.Fallback;
import io.holdfast.internal.lease.AcquireSpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an acquisition makes of a store that does not answer: how long it waits before it tries
 * again, and when it gives up. The outage is the store's, so it counts for all acquisitions of this
 * process: a caller that comes late does not wait for the whole store time-out again.
 */
final class FaultPolicy {
  private static final long FIRST_DELAY = Duration.ofMillis(50).toNanos();
  private static final long LONGEST_DELAY = Duration.ofSeconds(1).toNanos();

  private final AcquireSpec spec;
  private final OutageTimer outage;
  private int faultsInARow;
  private long firstFaultAt;
  private @Nullable Throwable lastFault;

  FaultPolicy(AcquireSpec spec, OutageTimer outage) {
    this.spec = spec;
    this.outage = outage;
  }

  /** The store has answered. */
  void answered() {
    forget();
    outage.ends();
  }

  /** The store has not answered an attempt. */
  void unanswered(Throwable cause, long now) {
    lastFault = cause;
    outage.begins(now);
    if (faultsInARow++ == 0) {
      firstFaultAt = now;
    }
  }

  /** The acquisition goes on without the store. */
  void forget() {
    faultsInARow = 0;
    lastFault = null;
  }

  /** The store's last word was no answer, for this reason; null if it has answered since. */
  @Nullable Throwable lastFault() {
    return lastFault;
  }

  /**
   * True if the store has been silent for as long as the caller is ready to wait for it.
   *
   * @param arrivedAt since when the caller wants the lock
   */
  boolean isTimeUp(long now, long arrivedAt) {
    long ofTheProcess = Math.min(outage.lasts(now), now - arrivedAt);
    long silentFor = Math.max(now - firstFaultAt, ofTheProcess);
    return silentFor >= spec.config().storeTimeout().toNanos();
  }

  /** How long to wait before the next attempt. */
  long delay() {
    return Math.min(LONGEST_DELAY, FIRST_DELAY << Math.min(faultsInARow - 1, 10));
  }

  /** True if the caller has something else than a failure in mind. */
  boolean hasFallback() {
    return spec.config().fallback() != Fallback.FAIL;
  }
}
