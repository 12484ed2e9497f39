package io.holdfast.micrometer;

import io.holdfast.DeadlockException;
import io.holdfast.LossReason;
import io.holdfast.StoreException;
import io.holdfast.StoreUnavailableException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** The meters of one family of locks on one kind of store. */
final class FamilyMeters {
  private final MeterFactory meters;
  private final Timer acquired;
  private final Timer released;

  FamilyMeters(MeterFactory ofEngine, String family) {
    this.meters = ofEngine.with(Tags.of("family", family));
    this.acquired = acquire("acquired");
    this.released = hold("released");
  }

  private Timer acquire(String outcome) {
    String what = "How long callers waited for a lock or at a latch";
    return meters.timer("holdfast.acquire", what, "outcome", outcome);
  }

  private Timer hold(String outcome) {
    return meters.timer("holdfast.hold", "How long a lock was held", "outcome", outcome);
  }

  private Counter renewals(String outcome) {
    String what = "Renewals of leases";
    return meters.counter("holdfast.renewals", what, "outcome", outcome);
  }

  void acquired(Duration waited) {
    acquired.record(waited);
  }

  void gaveUp(Duration waited) {
    acquire("gave_up").record(waited);
  }

  void failed(Duration waited, Throwable fault) {
    acquire("failed").record(waited);
    requestFailed(fault);
  }

  void passed(Duration waited) {
    acquire("passed").record(waited);
  }

  void requestFailed(Throwable fault) {
    String what = "Faults that callers received instead of a lock or an answer";
    meters.counter("holdfast.errors", what, "error", kindOf(fault)).increment();
  }

  private static String kindOf(Throwable fault) {
    if (fault instanceof StoreUnavailableException) {
      return "store_unavailable";
    }
    if (fault instanceof StoreException) {
      return "store_refused";
    }
    return fault instanceof DeadlockException ? "deadlock" : "other";
  }

  void released(Duration held) {
    released.record(held);
  }

  void lost(LossReason reason, Duration held) {
    hold("lost").record(held);
    String what = "Locks lost while they were held";
    meters.counter("holdfast.lost", what, "reason", MeterFactory.lower(reason)).increment();
  }

  void renewed() {
    renewals("renewed").increment();
  }

  void renewalFailed() {
    renewals("failed").increment();
  }

  void degraded() {
    String what = "Process-local locks that were granted because the store could not be reached";
    meters.counter("holdfast.degraded", what, Tags.empty(), "").increment();
  }

  void releaseFailed() {
    String what = "Releases that the store did not answer; they are repeated";
    meters.counter("holdfast.releases.failed", what, Tags.empty(), "").increment();
  }
}
