package io.holdfast.internal.watchdog;

import io.holdfast.DeadlockException;
import io.holdfast.DeadlockVictim;
import io.holdfast.Finding;
import io.holdfast.LockConfig;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.spi.Resource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds threads of several processes that wait for each other's locks. Each process tells the
 * store, with its place in a queue, what its waiting threads hold ({@link WaiterNote}); so from
 * what a thread of ours holds one can go on to those who wait for it, to what they hold, and so on,
 * until one comes back to that thread, or does not.
 *
 * <pre>
 *    thread a  holds X  &lt;-- waited for by thread b of another process, which
 *              holds Y  &lt;-- waited for by thread a: a deadlock
 * </pre>
 *
 * <p>Notes may be older than the world. A deadlock does not move, so it is one only if the next
 * look finds the same again. Deadlocks inside one process are found by {@link HolderCheck}.
 */
final class DeadlockCheck {
  private final LockEngine engine;
  private final Context context;
  private final Watchdog watchdog;

  /** Circles of the last look, by what they consist of; true if told already. */
  private Map<Set<String>, Boolean> last = new HashMap<>();

  private Map<Set<String>, Boolean> current = new ConcurrentHashMap<>();

  DeadlockCheck(LockEngine engine, Watchdog watchdog) {
    this.engine = engine;
    this.context = engine.context();
    this.watchdog = watchdog;
  }

  /** Looks, and goes on looking while the store answers; false if it knows of a deadlock. */
  boolean look(List<LocalWait> waits) {
    last = current;
    current = new ConcurrentHashMap<>();
    Map<Resource, List<LocalWait>> byResource = new HashMap<>();
    for (LocalWait wait : waits) {
      byResource.computeIfAbsent(wait.resource(), each -> new ArrayList<>()).add(wait);
    }
    Map<Thread, Set<Resource>> blockedOn = waits.isEmpty() ? Map.of() : blockedOn(byResource);
    for (LocalWait wait : waits) {
      Acquisition acquisition = wait.acquisition();
      if (acquisition != null) {
        look(acquisition, byResource.getOrDefault(wait.resource(), List.of()), blockedOn);
      }
    }
    return !last.containsValue(true);
  }

  /** Tells the store who waits with it and what they hold, and looks on from there. */
  private void look(
      Acquisition acquisition,
      List<LocalWait> waitsForTheSame,
      Map<Thread, Set<Resource>> blockedOn) {
    List<WaiterNote.Waiting> threads = new ArrayList<>();
    for (LocalWait each : waitsForTheSame) {
      Set<Resource> holds = blockedOn.getOrDefault(each.thread(), Set.of());
      if (each.blocked() && !holds.isEmpty()) {
        boolean leads = each.acquisition() == acquisition;
        threads.add(
            new WaiterNote.Waiting(
                each.thread().getId(), leads, each.thread().getName(), List.copyOf(holds)));
      }
    }
    acquisition.note(new WaiterNote(threads).toString());
    for (WaiterNote.Waiting thread : threads) {
      new DeadlockSearch(context, acquisition.resource(), thread, this::found).start();
    }
  }

  /** What nobody can get before a thread goes on: what it holds, and what those hold who wait. */
  private Map<Thread, Set<Resource>> blockedOn(Map<Resource, List<LocalWait>> waits) {
    Map<Thread, Set<Resource>> holds = new HashMap<>();
    for (Tenure tenure : engine.renewals().tenures()) {
      Resource.Kind kind = tenure.resource().kind();
      if (kind == Resource.Kind.LOCK || kind == Resource.Kind.READ_WRITE) {
        for (Hold hold : tenure.holder().holdsIn(tenure)) {
          if (hold.spec.threadOwned()) {
            holds.computeIfAbsent(hold.thread, each -> new HashSet<>()).add(tenure.resource());
          }
        }
      }
    }
    Map<Thread, Set<Resource>> closure = new HashMap<>();
    holds.forEach((thread, own) -> closure.put(thread, everything(own, waits, holds)));
    return closure;
  }

  private static Set<Resource> everything(
      Set<Resource> own, Map<Resource, List<LocalWait>> waits, Map<Thread, Set<Resource>> holds) {
    Set<Resource> all = new LinkedHashSet<>();
    Deque<Resource> open = new ArrayDeque<>(own);
    while (!open.isEmpty()) {
      Resource resource = open.remove();
      if (all.add(resource)) {
        for (LocalWait wait : waits.getOrDefault(resource, List.of())) {
          if (wait.blocked()) {
            open.addAll(holds.getOrDefault(wait.thread(), Set.of()));
          }
        }
      }
    }
    return all;
  }

  private void found(DeadlockSearch.Circle circle) {
    Set<String> identity = circle.identity();
    Boolean toldBefore = last.get(identity);
    if (current.putIfAbsent(identity, toldBefore != null) != null || toldBefore == null) {
      return; // another thread of ours found the same, or it is new and may pass
    }
    if (!toldBefore) {
      watchdog.report(
          new Finding(
              Finding.Kind.DEADLOCK,
              circle.key(),
              circle.owner(),
              0,
              circle.thread(),
              context.time().now(),
              circle.toString()),
          LockConfig.defaults(),
          Duration.ZERO);
    }
    breakUp(circle);
  }

  private void breakUp(DeadlockSearch.Circle circle) {
    String victim = circle.lastToWait();
    if (engine.deadlockVictim() == DeadlockVictim.NONE || victim == null) {
      return;
    }
    for (Acquisition acquisition : engine.acquisitions()) {
      if (acquisition.owner().toString().equals(victim)) {
        acquisition.fail(
            new DeadlockException(
                acquisition.resource().kind().label(),
                acquisition.resource().key(),
                "%s: this thread gives way in a deadlock: %s"
                    .formatted(acquisition.resource(), circle)));
      }
    }
  }
}
