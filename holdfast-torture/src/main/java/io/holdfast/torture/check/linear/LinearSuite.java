package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Fault;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Subject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Holds a history against every model that concerns it, one key at a time. */
public final class LinearSuite {
  /**
   * What came of one model and one key.
   *
   * @param model the name of the model
   * @param subject the lock or latch
   * @param operations how many operations were put in order
   * @param result what came of it
   */
  public record Outcome(String model, Subject subject, int operations, LinearResult result) {}

  private final HistoryIndex history;
  private final long budget;
  private final List<Outcome> outcomes = new ArrayList<>();

  private LinearSuite(HistoryIndex history, long budget) {
    this.history = history;
    this.budget = budget;
  }

  /**
   * Checks a history, but for the order of fair locks.
   *
   * @param history the history
   * @param budget how many steps may be tried per model and key
   */
  public static List<Outcome> check(HistoryIndex history, long budget) {
    LinearSuite suite = new LinearSuite(history, budget);
    suite.history.holds().forEach(suite::checkHolds);
    suite.checkLatches();
    return suite.outcomes;
  }

  /**
   * Checks the order of fair locks, one outcome for each that was used; its operations are the
   * pairs that were compared.
   *
   * @param history the history
   * @param budget how many steps may be tried per key
   * @param settleNanos for how long a place in a queue that was given up may still be there
   */
  public static List<Outcome> checkOrder(HistoryIndex history, long budget, long settleNanos) {
    LinearSuite suite = new LinearSuite(history, budget);
    for (Subject subject : history.holds().keySet()) {
      FairOrder order = new FairOrder(history, subject, settleNanos);
      if (order.isUsed()) {
        suite.checkOrder(subject, order);
      }
    }
    return suite.outcomes;
  }

  private void checkHolds(Subject subject, List<Hold> holds) {
    List<Operation> operations = Operations.ofHolds(history, subject, Map.of());
    switch (subject.kind()) {
      case READ_WRITE -> check(new ReadWriteModel(), subject, operations);
      case SEMAPHORE -> check(new PermitsModel(), subject, operations);
      default -> {
        check(new MutexModel(), subject, operations);
        if (holds.stream().anyMatch(each -> !each.inner().isEmpty())) {
          check(new ReentrantModel(), subject, operations);
        }
        if (holds.stream().anyMatch(each -> each.token() != 0)) {
          check(new FencedModel(), subject, operations);
        }
      }
    }
  }

  private void checkOrder(Subject subject, FairOrder order) {
    Set<String> counting = new HashSet<>();
    order.after().values().forEach(counting::addAll);
    FairModel model = new FairModel(counting);
    LinearResult result =
        counting.isEmpty()
            ? new LinearResult.Found()
            : LinearChecker.check(
                model, Operations.ofHolds(history, subject, order.after()), budget);
    outcomes.add(
        new Outcome(
            model.name(),
            subject,
            order.compared(),
            order.passedOver().stream().findFirst().map(LinearSuite::passedOver).orElse(result)));
  }

  private static LinearResult passedOver(FairOrder.PassedOver one) {
    String why =
        one.first().client()
            + " was in the queue before "
            + one.second().id()
            + " asked, and was there still when that was granted";
    List<HistoryEvent> events = new ArrayList<>(one.first().events());
    events.addAll(one.second().acquire().events());
    return new LinearResult.Refused(why, events);
  }

  private void checkLatches() {
    Set<String> keys = new TreeSet<>();
    for (Action action : List.of(Action.SET_COUNT, Action.COUNT_DOWN, Action.AWAIT)) {
      history.calls(action).forEach(each -> keys.add(each.invoke().key()));
    }
    for (String key : keys) {
      Subject subject = new Subject(Subject.Kind.LATCH, key);
      LatchModel model = new LatchModel();
      List<Operation> operations = Operations.ofLatch(history, key);
      if (history.faults().stream().anyMatch(each -> mayChange(each, key))) {
        outcomes.add(
            new Outcome(
                model.name(),
                subject,
                operations.size(),
                new LinearResult.Undecided("a fault may have changed the count")));
      } else {
        check(model, subject, operations);
      }
    }
  }

  private static boolean mayChange(Fault fault, String key) {
    return fault.breaks(Detail.EXCLUSION)
        && !fault.has(Detail.FORGET)
        && !fault.has(Detail.CLOCK)
        && fault.concerns(key);
  }

  private <S> void check(Model<S> model, Subject subject, List<Operation> operations) {
    outcomes.add(
        new Outcome(
            model.name(),
            subject,
            operations.size(),
            LinearChecker.check(model, operations, budget)));
  }
}
