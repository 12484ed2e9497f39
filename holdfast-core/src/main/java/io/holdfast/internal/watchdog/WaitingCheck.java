package io.holdfast.internal.watchdog;

import io.holdfast.Finding;
import io.holdfast.LockConfig;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.SelfWait;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.internal.observe.Inspection;
import io.holdfast.spi.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Does anybody of this process wait for too long, or for ever? Those who wait for the store are
 * known to the engine. Those who wait at a gate are found there; since when, a gate notes only for
 * those who want an alert, or strict order.
 */
final class WaitingCheck {
  private record Place(Resource resource, Thread thread) {}

  private final LockEngine engine;
  private final Context context;
  private final Watchdog watchdog;
  private final DeadlockCheck deadlocks;
  private Set<Place> told = new HashSet<>();

  WaitingCheck(LockEngine engine, Watchdog watchdog) {
    this.engine = engine;
    this.context = engine.context();
    this.watchdog = watchdog;
    this.deadlocks = new DeadlockCheck(engine, watchdog);
  }

  void look(long now) {
    List<LocalWait> waits = waits(now);
    boolean ok = true;
    Set<Place> stillLong = new HashSet<>();
    for (LocalWait wait : waits) {
      Duration limit = wait.config().waitAlert();
      Duration waited = Duration.ofNanos(now - wait.since());
      if (!limit.isZero() && waited.compareTo(limit) >= 0) {
        ok = false;
        Place place = new Place(wait.resource(), wait.thread());
        stillLong.add(place);
        if (!told.contains(place)) {
          waitingLong(wait, waited);
        }
      }
    }
    told = stillLong;
    ok &= deadlocks.look(waits);
    if (!waits.isEmpty()) {
      context.events().checked(Finding.Check.WAITING, ok);
    }
  }

  private List<LocalWait> waits(long now) {
    List<LocalWait> waits = new ArrayList<>();
    Map<TenureListener, LockConfig> places = new HashMap<>();
    for (Tenure tenure : engine.renewals().tenures()) {
      places.put(tenure.holder(), tenure.config());
    }
    for (Acquisition acquisition : engine.acquisitions()) {
      places.put(acquisition.holder(), acquisition.spec().config());
      if (acquisition.isAwaited()) {
        waits.add(
            new LocalWait(
                acquisition.resource(),
                acquisition.thread(),
                acquisition.spec().threadOwned(),
                acquisition,
                acquisition.startedAt(),
                acquisition.spec().config()));
      }
    }
    places.forEach(
        (holder, config) -> {
          Map<Thread, Long> since = holder.waitingSince();
          boolean blocked = holder.resource().kind() != Resource.Kind.SEMAPHORE; // or a future
          for (Thread thread : holder.queuedThreads()) {
            long began = since.getOrDefault(thread, now);
            waits.add(new LocalWait(holder.resource(), thread, blocked, null, began, config));
          }
        });
    return waits;
  }

  private void waitingLong(LocalWait wait, Duration waited) {
    Acquisition acquisition = wait.acquisition();
    Inspection.describe(context.backend(), wait.resource())
        .thenAccept(who -> report(wait, acquisition, waited, who));
  }

  private void report(
      LocalWait wait, @Nullable Acquisition acquisition, Duration waited, String who) {
    watchdog.report(
        new Finding(
            Finding.Kind.WAITING_LONG,
            wait.resource().key(),
            acquisition == null ? "" : acquisition.owner().toString(),
            0,
            wait.thread().getName(),
            context.time().now(),
            "waiting for %d ms; %s%s".formatted(waited.toMillis(), who, selfWait(wait))),
        wait.config(),
        waited);
  }

  private String selfWait(LocalWait wait) {
    for (Tenure tenure : engine.renewals().tenures()) {
      if (tenure.resource().equals(wait.resource())) {
        for (Hold hold : tenure.holder().holdsIn(tenure)) {
          if (hold.isHandleOf(wait.thread())) {
            return "; " + SelfWait.text(wait.thread(), hold);
          }
        }
      }
    }
    return "";
  }
}
