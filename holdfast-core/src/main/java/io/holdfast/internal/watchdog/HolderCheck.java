package io.holdfast.internal.watchdog;

import io.holdfast.Finding;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.observe.Inspection;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Is the thread that holds a lock alive and getting on? A lock whose thread has ended can never be
 * unlocked, and would be renewed for as long as the process lives; it is released. A thread that is
 * deadlocked, or stands at the same place for too long, is reported: nobody can take its lock
 * without breaking what it does. So is, unless more is allowed, a thread that has ended and holds
 * with a lease of its own: that ends by itself, and may be meant to.
 */
final class HolderCheck {
  private static final Logger log = LoggerFactory.getLogger(HolderCheck.class);
  private static final int FRAMES = 10;

  private final LockEngine engine;
  private final Context context;
  private final Watchdog watchdog;

  HolderCheck(LockEngine engine, Watchdog watchdog) {
    this.engine = engine;
    this.context = engine.context();
    this.watchdog = watchdog;
  }

  void look(List<Tenure> tenures, long now) {
    if (tenures.isEmpty()) {
      return;
    }
    Look look = new Look(now);
    for (Tenure tenure : tenures) {
      for (Hold hold : tenure.holder().holdsIn(tenure)) {
        if (hold.isActive()) {
          look.at(tenure, hold);
        }
      }
    }
    context.events().checked(Finding.Check.HOLDER_THREAD, look.ok);
  }

  /** One look at all threads; what costs something is done once for all of them. */
  private final class Look {
    private final long now;
    private final Map<Thread, StackTraceElement[]> stacks = new HashMap<>();
    private Set<Long> deadlocked = Set.of();
    private boolean askedForDeadlocks;
    private boolean ok = true;

    Look(long now) {
      this.now = now;
    }

    void at(Tenure tenure, Hold hold) {
      if (hold.spec.threadOwned()) {
        atThread(tenure, hold);
      }
      Duration limit = tenure.config().holdAlert();
      Duration held = Duration.ofNanos(now - hold.since);
      if (!limit.isZero() && held.compareTo(limit) >= 0 && hold.takeHeldLong()) {
        ok = false;
        heldLong(tenure, hold, held);
      }
    }

    private void atThread(Tenure tenure, Hold hold) {
      if (!hold.thread.isAlive()) {
        ok = false;
        ended(tenure, hold);
        return;
      }
      if (hold.thread.getState() == Thread.State.RUNNABLE && !Awaits.isIn(frames(hold.thread))) {
        hold.moved(now);
        return;
      }
      if (isDeadlocked(hold.thread)) {
        ok = false;
        once(Finding.Kind.THREAD_DEADLOCKED, tenure, hold, "deadlocked at " + stack(hold.thread));
        return;
      }
      Duration limit = tenure.config().blockedAlert();
      if (limit.isZero()) {
        return;
      }
      Duration still = Duration.ofNanos(hold.stillFor(Arrays.hashCode(frames(hold.thread)), now));
      if (still.compareTo(limit) >= 0) {
        ok = false;
        watchdog.found(
            Finding.Kind.THREAD_BLOCKED,
            tenure,
            hold,
            "%s for %d ms at %s"
                .formatted(hold.thread.getState(), still.toMillis(), stack(hold.thread)),
            still);
      }
    }

    private boolean isDeadlocked(Thread thread) {
      if (!askedForDeadlocks) {
        askedForDeadlocks = true;
        long[] ids = ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        deadlocked = new HashSet<>();
        for (int i = 0; ids != null && i < ids.length; i++) {
          deadlocked.add(ids[i]);
        }
      }
      return deadlocked.contains(thread.getId());
    }

    private StackTraceElement[] frames(Thread thread) {
      return stacks.computeIfAbsent(thread, Thread::getStackTrace);
    }

    private String stack(Thread thread) {
      StackTraceElement[] frames = frames(thread);
      return Arrays.stream(frames).limit(FRAMES).map(Object::toString).toList().toString();
    }

    /** What does not pass is told once; true if that is now. */
    private boolean once(Finding.Kind kind, Tenure tenure, Hold hold, String evidence) {
      Finding finding = watchdog.about(kind, tenure, hold, evidence);
      long until = watchdog.keepUntil(tenure.config(), now);
      if (watchdog.findings().goesOn(finding, now, until)) {
        return false;
      }
      watchdog.report(finding, tenure.config(), Duration.ZERO);
      return true;
    }

    private void ended(Tenure tenure, Hold hold) {
      Throwable takenAt = hold.takenAt();
      String where =
          takenAt != null
              ? "where it was taken is in the log"
              : "captureStack(true) tells where it was taken";
      String lease = tenure.isRenewing() ? "" : "its own lease ends by itself; ";
      String evidence = "its thread ended without unlocking; " + lease + where;
      if (once(Finding.Kind.THREAD_ENDED, tenure, hold, evidence) && takenAt != null) {
        log.info("{} was taken here by the thread that has ended", tenure.resource(), takenAt);
      }
      Action action = tenure.isRenewing() ? Action.RELEASE : Action.RELEASE_LEASED;
      if (tenure.config().recoveryStrategy().allows(action)) {
        release(tenure, hold, action);
      }
    }

    private void release(Tenure tenure, Hold hold, Action action) {
      CompletableFuture<@Nullable Void> answer = tenure.holder().abandoned(hold);
      if (answer != null) {
        answer
            .thenCompose(done -> engine.settled(tenure.owner())) // it may have to be repeated
            .whenComplete(
                (done, fault) -> {
                  if (fault == null) {
                    String how = "released for a thread that has ended";
                    context.events().recovered(action, tenure, how);
                  } else {
                    context.events().recoveryFailed(action, tenure, String.valueOf(fault));
                  }
                });
      }
    }

    private void heldLong(Tenure tenure, Hold hold, Duration held) {
      String where = hold.spec.threadOwned() ? " at " + stack(hold.thread) : "";
      Inspection.describe(context.backend(), tenure.resource())
          .thenAccept(
              who ->
                  watchdog.found(
                      Finding.Kind.HELD_LONG,
                      tenure,
                      hold,
                      "held for %d ms%s; %s".formatted(held.toMillis(), where, who),
                      held));
    }
  }
}
