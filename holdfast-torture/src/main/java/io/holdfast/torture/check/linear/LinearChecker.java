package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.HistoryEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Looks for an order of operations that a model accepts and that respects their intervals.
 *
 * <pre>
 *   time ------------------------------------------------------------------>
 *   A   |-----------|                       what may have happened so far is a set of
 *   B        |---------------|              configurations: (state of the model, operations
 *   C              |------|                 that are open and have taken effect already)
 *                   ^
 *                   A returns: it must have taken effect by now. Every configuration in which it
 *                   has not is continued by every sequence of open operations that ends with A
 *                   (A, BA, CA, BCA, CBA). Where none is possible there is no order at all.
 * </pre>
 *
 * <p>Nothing takes effect before it must, which is Lowe's just-in-time order: it finds an order
 * whenever there is one, since what is done later than possible allows at least as much. Equal
 * configurations are kept once. Where nothing is open a configuration is only a state, so that long
 * histories are cut into pieces at every quiet moment by themselves, and the work grows with the
 * length of a history and not with the number of its orders.
 *
 * <p>An operation that need not take effect stays open for ever. Of several that do the same, the
 * one that began first is tried alone: whatever another could do, it can do as well.
 *
 * @param <S> the states of the model
 */
public final class LinearChecker<S> {
  private record Configuration<S>(S state, Set<Integer> done) {}

  private record Moment(long time, boolean opens, int operation) {}

  private static final int MOST_TOLD = 4;

  private final Model<S> model;
  private final long budget;
  private final List<Operation> operations;
  private final TreeSet<Integer> open = new TreeSet<>();
  private long steps;

  private LinearChecker(Model<S> model, List<Operation> operations, long budget) {
    this.model = model;
    this.operations =
        operations.stream().sorted(Comparator.comparingLong(Operation::from)).toList();
    this.budget = budget;
  }

  /**
   * Looks for an order.
   *
   * @param model what accepts it
   * @param operations what happened
   * @param budget how many steps of the model may be tried at most
   */
  public static <S> LinearResult check(Model<S> model, List<Operation> operations, long budget) {
    return new LinearChecker<>(model, operations, budget).run();
  }

  private LinearResult run() {
    Set<Configuration<S>> possible = Set.of(new Configuration<>(model.initial(), Set.of()));
    for (Moment moment : moments()) {
      if (moment.opens()) {
        open.add(moment.operation());
        continue;
      }
      Set<Configuration<S>> next = withEffect(possible, moment.operation());
      if (steps > budget) {
        return new LinearResult.Undecided(
            "gave up after %d steps, %d operations at once".formatted(steps, open.size()));
      }
      if (next.isEmpty()) {
        return refused(possible, moment.operation());
      }
      open.remove(moment.operation());
      possible = next;
    }
    return new LinearResult.Found();
  }

  /** Begins and ends in the order of time; at the same time begins first, which allows more. */
  private List<Moment> moments() {
    List<Moment> moments = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      moments.add(new Moment(operations.get(i).from(), true, i));
      if (operations.get(i).to() != Operation.NEVER) {
        moments.add(new Moment(operations.get(i).to(), false, i));
      }
    }
    moments.sort(
        Comparator.comparingLong(Moment::time)
            .thenComparing(Moment::opens, Comparator.reverseOrder())
            .thenComparing(Moment::operation));
    return moments;
  }

  private Set<Configuration<S>> withEffect(Set<Configuration<S>> possible, int returning) {
    Set<Configuration<S>> result = new LinkedHashSet<>();
    Set<Configuration<S>> seen = new HashSet<>(possible);
    Deque<Configuration<S>> todo = new ArrayDeque<>(possible);
    while (!todo.isEmpty() && steps <= budget) {
      Configuration<S> each = todo.remove();
      if (each.done().contains(returning)) {
        result.add(new Configuration<>(each.state(), without(each.done(), returning)));
        continue;
      }
      Set<Step> tried = new HashSet<>();
      for (int candidate : open) {
        Operation operation = operations.get(candidate);
        boolean optional = operation.to() == Operation.NEVER;
        if (each.done().contains(candidate) || (optional && !tried.add(operation.step()))) {
          continue;
        }
        steps++;
        S state = model.apply(each.state(), operation.step());
        if (state != null) {
          Configuration<S> after = new Configuration<>(state, with(each.done(), candidate));
          if (seen.add(after)) {
            todo.add(after);
          }
        }
      }
    }
    return result;
  }

  private static Set<Integer> with(Set<Integer> set, int element) {
    Set<Integer> larger = new HashSet<>(set);
    larger.add(element);
    return larger;
  }

  private static Set<Integer> without(Set<Integer> set, int element) {
    Set<Integer> smaller = new HashSet<>(set);
    smaller.remove(element);
    return smaller;
  }

  private LinearResult refused(Set<Configuration<S>> possible, int operation) {
    Operation impossible = operations.get(operation);
    String states =
        possible.stream()
            .map(each -> model.describe(each.state()))
            .distinct()
            .limit(MOST_TOLD)
            .collect(Collectors.joining(", or "));
    Set<HistoryEvent> events = new LinkedHashSet<>();
    possible.stream()
        .flatMap(each -> model.concerned(each.state()).stream())
        .limit(MOST_TOLD)
        .flatMap(each -> each.acquire().events().stream())
        .forEach(events::add);
    events.addAll(impossible.events());
    return new LinearResult.Refused(
        "%s: no order explains that %s; before it: %s"
            .formatted(model.name(), impossible.step(), states),
        List.copyOf(events));
  }
}
