package io.holdfast.internal.engine;

import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Scheduler.Cancellable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows every tenure of this process, renews those that are due in batches, and ends those whose
 * deadline has come. One task on the scheduler serves all: it looks at all tenures, does what is
 * due and plans its next run for the earliest thing to come. Renewals that would be due soon go
 * along with those that are due now, so many locks need few batches and few looks; from then on
 * they are due together, and early no more.
 *
 * <p>Starting and stopping costs a map entry; the scheduler is touched only when a tenure is due
 * before the run that is planned anyway.
 */
public final class RenewalManager {
  private static final Logger log = LoggerFactory.getLogger(RenewalManager.class);
  private static final int BATCH = 500;

  /**
   * What is due within this part of the time between renewals is renewed along. A larger part makes
   * fewer bursts, which cost a store less, but renews too often where locks come all the time.
   */
  private static final int EARLY = 3;

  private static final long LEAST_RETRY = Duration.ofMillis(10).toNanos();
  private static final long MOST_RETRY = Duration.ofMillis(500).toNanos();
  private static final long LEAST_RETRY_AT_THE_END = Duration.ofMillis(1).toNanos();

  private final LockEngine engine;
  private final Context context;
  private final Map<String, Tenure> tenures = new ConcurrentHashMap<>();

  private volatile boolean planned;
  private volatile long plannedFor;

  /** Guarded by this. */
  private @Nullable Cancellable plan;

  RenewalManager(LockEngine engine) {
    this.engine = engine;
    this.context = engine.context();
  }

  /** Watches a tenure from now on: renews it if it wants that, and ends it at its deadline. */
  void startRenewal(Tenure tenure) {
    tenures.put(tenure.owner().tenureId(), tenure);
    planFor(nextDue(tenure));
  }

  /** Forgets a tenure. */
  void stopRenewal(Tenure tenure) {
    tenures.remove(tenure.owner().tenureId(), tenure);
  }

  /** The tenure with this id, if this process has it. */
  @Nullable Tenure find(String tenureId) {
    return tenures.get(tenureId);
  }

  /** All tenures. */
  public Collection<Tenure> tenures() {
    return tenures.values();
  }

  /**
   * Renews a tenure now, whatever was planned or is under way: that is not believed in any more.
   */
  public void restart(Tenure tenure) {
    long now = context.now();
    tenure.renewal().restart(now);
    synchronized (this) {
      planned = false;
    }
    planFor(now);
  }

  /** Renews at once what failed or is due: the connection is back. */
  void renewSoon() {
    long now = context.now();
    for (Tenure tenure : tenures.values()) {
      tenure.renewal().bringForward(now);
    }
    planFor(now);
  }

  private void planFor(long due) {
    if (planned && due - plannedFor >= 0) {
      return;
    }
    synchronized (this) {
      if (planned && due - plannedFor >= 0) {
        return;
      }
      if (plan != null) {
        plan.cancel();
      }
      plannedFor = due; // before planned: who reads that there is a plan must not read an old time
      planned = true;
      plan = context.scheduler().schedule(Math.max(0, due - context.now()), this::run);
    }
  }

  private void run() {
    synchronized (this) {
      planned = false; // from here on a new tenure plans for itself
      plan = null;
    }
    long now = context.now();
    List<Tenure> due = new ArrayList<>();
    List<Tenure> dueHere = new ArrayList<>(); // apart: they must not wait for a store that is away
    long untilNext = Long.MAX_VALUE;
    for (Tenure tenure : tenures.values()) {
      if (now - tenure.deadline() >= 0) {
        lose(tenure);
        continue;
      }
      if (tenure.renewal().isDue(now + tenure.renewal().intervalNanos() / EARLY)) {
        tenure.renewal().started(now);
        (tenure.isDegraded() ? dueHere : due).add(tenure);
      }
      untilNext = Math.min(untilNext, nextDue(tenure) - now); // of those due now: the deadline
    }
    if (untilNext != Long.MAX_VALUE) {
      planFor(now + untilNext);
    }
    renewAll(dueHere);
    renewAll(due);
  }

  private void renewAll(List<Tenure> due) {
    for (int from = 0; from < due.size(); from += BATCH) {
      renew(due.subList(from, Math.min(due.size(), from + BATCH)));
    }
  }

  /** Whatever goes wrong for one must not stop the renewal of others. */
  private void lose(Tenure tenure) {
    try {
      engine.lose(tenure, tenure.reasonAtDeadline());
    } catch (RuntimeException | Error e) {
      log.error("telling the loss of {} failed", tenure.resource(), e);
    }
  }

  private static long nextDue(Tenure tenure) {
    long deadline = tenure.deadline();
    if (!tenure.renewal().isPlanned()) {
      return deadline;
    }
    long renewAt = tenure.renewal().at();
    return renewAt - deadline < 0 ? renewAt : deadline;
  }

  private void renew(List<Tenure> batch) {
    long sentAt = context.now();
    List<RenewRequest> requests = new ArrayList<>(batch.size());
    for (Tenure tenure : batch) {
      requests.add(tenure.renewRequest(sentAt));
    }
    CompletionStage<List<RenewResult>> reply;
    try {
      reply = context.backend().renew(requests);
    } catch (RuntimeException | Error e) {
      reply = CompletableFuture.failedFuture(e);
    }
    reply.whenComplete(
        (results, fault) -> {
          for (int i = 0; i < batch.size(); i++) {
            RenewResult result =
                fault == null && results != null && results.size() == batch.size()
                    ? results.get(i)
                    : new RenewResult.Unknown(
                        fault != null ? fault : new IllegalStateException("results are missing"));
            answered(batch.get(i), sentAt, requests.get(i).leaseMillis(), result);
          }
        });
  }

  private void answered(Tenure tenure, long sentAt, long leaseMillis, RenewResult result) {
    if (!tenure.isLive()) { // released or lost while the renewal was under way
      if (result instanceof RenewResult.Resumed) {
        engine.resumed(tenure);
      }
      return;
    }
    if (result instanceof RenewResult.Renewed renewed) {
      tenure.renewed(sentAt, leaseMillis, renewed.leaseMillis(), renewed.contended());
      context.events().renewed(tenure);
      if (tenure.renewal().takeRestarted()) {
        context.events().recovered(Action.RESTART_RENEWAL, tenure, "renewed again");
      }
    } else if (result instanceof RenewResult.Resumed resumed) {
      tenure.renewed(sentAt, leaseMillis, resumed.leaseMillis(), resumed.contended());
      engine.resumed(tenure);
    } else if (result instanceof RenewResult.Lost) {
      engine.goneFromStore(tenure);
      return;
    } else {
      long now = context.now();
      tenure.renewal().failed(now + retryAfter(tenure, now));
      context.events().renewalFailed(tenure, ((RenewResult.Unknown) result).cause());
    }
    planFor(nextDue(tenure));
  }

  /** When the deadline is near, each retry comes after half of what is left, so that one fits. */
  private static long retryAfter(Tenure tenure, long now) {
    long retry = Math.max(LEAST_RETRY, Math.min(MOST_RETRY, tenure.renewal().intervalNanos() / 4));
    long half = Math.max(LEAST_RETRY_AT_THE_END, tenure.remainingNanos(now) / 2);
    return Math.min(retry, half);
  }
}
