package io.holdfast.internal.watchdog;

import io.holdfast.internal.engine.Context;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Resource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The way from what one thread holds, over those who wait for it and what they hold, back to that
 * thread. One question to the store at a time, at most a few dozen.
 */
final class DeadlockSearch {
  private static final int MOST_QUESTIONS = 64;

  /** One who waits, and how one came to it. */
  private record Step(
      @Nullable Step before,
      Resource waitsFor,
      LockSnapshot.Waiter who,
      WaiterNote.Waiting thread) {}

  /** Something that is held, and by whom: null for the thread where the search began. */
  private record Held(Resource resource, @Nullable Step by) {}

  private final Context context;
  private final Resource startWaitsFor;
  private final WaiterNote.Waiting start;
  private final Consumer<Circle> found;
  private final Deque<Held> open = new ArrayDeque<>();
  private final Set<Resource> seen = new HashSet<>();

  DeadlockSearch(
      Context context, Resource startWaitsFor, WaiterNote.Waiting start, Consumer<Circle> found) {
    this.context = context;
    this.startWaitsFor = startWaitsFor;
    this.start = start;
    this.found = found;
  }

  void start() {
    start.holds().forEach(each -> open.add(new Held(each, null)));
    next();
  }

  private void next() {
    while (true) {
      Held held = open.poll();
      if (held == null || seen.size() >= MOST_QUESTIONS) {
        return;
      }
      if (seen.add(held.resource())) {
        ask(held);
        return;
      }
    }
  }

  private void ask(Held held) {
    CompletionStage<LockSnapshot> answer;
    try {
      answer = context.backend().inspect(held.resource());
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    answer.whenComplete(
        (snapshot, fault) -> {
          if (snapshot != null && !follow(held, snapshot)) {
            next();
          }
        });
  }

  /** Goes on from those who wait; true if the way has come back. */
  private boolean follow(Held held, LockSnapshot snapshot) {
    for (LockSnapshot.Waiter waiter : snapshot.waiters()) {
      for (WaiterNote.Waiting thread : WaiterNote.parse(waiter.note()).threads()) {
        Step step = new Step(held.by(), held.resource(), waiter, thread);
        boolean mine = waiter.client().clientId().equals(context.identity().clientId());
        if (mine && thread.id() == start.id()) {
          if (held.resource().equals(startWaitsFor)) {
            found.accept(circle(step));
            return true;
          }
        } else {
          thread.holds().forEach(each -> open.add(new Held(each, step)));
        }
      }
    }
    return false;
  }

  private static Circle circle(Step end) {
    Deque<Step> steps = new ArrayDeque<>();
    for (Step step = end; step != null; step = step.before()) {
      steps.addFirst(step);
    }
    return new Circle(List.copyOf(steps));
  }

  /** Threads that wait for each other; the last is the one of this process. */
  static final class Circle {
    private final List<Step> steps;

    private Circle(List<Step> steps) {
      this.steps = steps;
    }

    private Step own() {
      return steps.get(steps.size() - 1);
    }

    String key() {
      return own().waitsFor().key();
    }

    String owner() {
      return own().who().owner().toString();
    }

    String thread() {
      return own().thread().name();
    }

    /** The same for every look and every process that finds it, for as long as nobody moves. */
    Set<String> identity() {
      return steps.stream()
          .map(step -> step.who().owner() + " " + step.thread().id())
          .collect(Collectors.toUnmodifiableSet());
    }

    /** The owner whose own wait began last; null if nobody's wait can be ended from outside. */
    @Nullable String lastToWait() {
      Step last = null;
      for (Step step : steps) {
        if (step.thread().leads() && (last == null || isLater(step, last))) {
          last = step;
        }
      }
      return last == null ? null : last.who().owner().toString();
    }

    private static boolean isLater(Step one, Step other) {
      int order = one.who().since().compareTo(other.who().since());
      return order != 0
          ? order > 0
          : one.who().owner().toString().compareTo(other.who().owner().toString()) > 0;
    }

    @Override
    public String toString() {
      List<String> parts = new ArrayList<>();
      for (Step step : steps) {
        parts.add(
            "%s (process %d on %s, thread '%s') waits for '%s' and holds %s"
                .formatted(
                    step.who().client().application(),
                    step.who().client().pid(),
                    step.who().client().host(),
                    step.thread().name(),
                    step.waitsFor().key(),
                    step.thread().holds().stream().map(Resource::key).toList()));
      }
      return String.join("; ", parts);
    }
  }
}
