package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Call;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Fault;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.history.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The operations of a history, as the models want them.
 *
 * <p>A lease may end by itself, so the end of a hold is an operation of its own:
 *
 * <pre>
 *   INVOKE      OK       VALID            VALID_END, LOST, or RELEASE returned
 *     |---------|----------|------------------|
 *     [  enter  ]          [      leave       ]
 * </pre>
 *
 * <p>It cannot be earlier than the last moment at which the holder was seen to believe in it: that
 * is the promise, and what refuses two holders at once. It must have been by the first moment at
 * which the belief is known to be over; where nothing tells (the holder was killed), at any time,
 * or never. After a fault that breaks the promise a belief proves nothing, and the end may be as
 * early as the fault. So the end may be whenever it may really have been, and a right history
 * passes.
 *
 * <p>An acquisition whose result is not known may have taken effect, but a model allows no more
 * after it than before: it is left out. One that failed did nothing. A latch is different: a count
 * that is not known may be needed to explain what follows, so it may take effect at any later time.
 */
final class Operations {
  private Operations() {}

  static List<Operation> ofHolds(
      HistoryIndex history, Subject subject, Map<String, Set<String>> after) {
    List<Operation> operations = new ArrayList<>();
    for (Hold hold : history.holds().getOrDefault(subject, List.of())) {
      Call acquire = hold.acquire();
      operations.add(
          new Operation(
              new Step.Enter(hold, after.getOrDefault(hold.id(), Set.of())),
              acquire.from(),
              acquire.to(),
              acquire.events()));
      long from = Math.max(acquire.from(), hold.certainUntil());
      operations.add(
          new Operation(
              new Step.Leave(hold), from, Math.max(from, hold.endedBy()), acquire.events()));
      if (hold.excuse() == null) {
        hold.inner().forEach(each -> addInner(hold, each, operations));
      }
    }
    return operations;
  }

  private static void addInner(Hold hold, Call call, List<Operation> operations) {
    if (!call.ended(Phase.OK)) {
      return;
    }
    if (call.invoke().action() == Action.ACQUIRE) {
      operations.add(
          new Operation(new Step.EnterAgain(hold), call.from(), call.to(), call.events()));
    } else if (call.to() <= hold.endedBy()) {
      operations.add(
          new Operation(new Step.LeaveInner(hold), call.from(), call.to(), call.events()));
    }
  }

  static List<Operation> ofLatch(HistoryIndex history, String key) {
    List<Operation> operations = new ArrayList<>();
    for (Call call : history.calls(Action.SET_COUNT)) {
      if (call.invoke().key().equals(key)) {
        boolean done = !"false".equals(call.detail(Detail.RESULT));
        add(call, new Step.SetCount(call.number(Detail.COUNT, 1), done), operations);
      }
    }
    for (Call call : history.calls(Action.COUNT_DOWN)) {
      if (call.invoke().key().equals(key)) {
        if (call.ended(Phase.FAIL)) {
          operations.add(
              new Operation(
                  new Step.CountDown(LatchModel.NOTHING), call.from(), call.to(), call.events()));
        } else {
          long left = call.number(Detail.LEFT, LatchModel.UNKNOWN);
          add(call, new Step.CountDown(left), operations);
        }
      }
    }
    for (Call call : history.calls(Action.AWAIT)) {
      if (call.invoke().key().equals(key) && call.ended(Phase.OK)) {
        add(call, new Step.Pass(), operations);
      }
    }
    for (Fault fault : history.faults()) {
      if (fault.has(Detail.FORGET) && fault.concerns(key)) {
        operations.add(
            new Operation(
                new Step.Forget(), fault.from(), Operation.NEVER, List.of(fault.begin())));
      }
    }
    return operations;
  }

  private static void add(Call call, Step step, List<Operation> operations) {
    if (call.ended(Phase.OK)) {
      operations.add(new Operation(step, call.from(), call.to(), call.events()));
    } else if (!call.ended(Phase.FAIL)) {
      operations.add(new Operation(step, call.from(), Operation.NEVER, call.events()));
    }
  }
}
