package io.holdfast.torture.check;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Call;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Fault;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Phase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The writes and reads of one kind of register, by key. What happened while a register lost its
 * content proves nothing, and what was before is forgotten.
 */
final class Registers {
  private record Moment(long time, boolean ends, @Nullable Call call) {}

  private final HistoryIndex history;
  private final Map<String, List<Call>> writes = new TreeMap<>();
  private final Map<String, List<Call>> accesses = new TreeMap<>();

  Registers(HistoryIndex history, Action write, String register) {
    this.history = history;
    for (Call call : history.calls(write)) {
      add(writes, call);
      add(accesses, call);
    }
    for (Call call : history.calls(Action.READ_REGISTER)) {
      if (register.equals(call.detail(Detail.REGISTER))) {
        add(accesses, call);
      }
    }
  }

  private static void add(Map<String, List<Call>> to, Call call) {
    to.computeIfAbsent(call.invoke().key(), each -> new ArrayList<>()).add(call);
  }

  /** The writes by key, in the order in which they began. */
  Map<String, List<Call>> writes() {
    return writes;
  }

  /** True if some register lost its content. */
  boolean wereCleared() {
    return history.faults().stream().anyMatch(each -> each.breaks(Detail.REGISTERS));
  }

  /**
   * Calls back for each write that was accepted and each read whose token is smaller than that of
   * one which had ended before it began: with the earlier one, and with the one that goes back.
   */
  void findGoingBack(BiConsumer<Call, Call> found) {
    accesses.forEach(
        (key, calls) -> {
          Call largest = null;
          for (Moment moment : moments(key, calls)) {
            Call call = moment.call();
            if (call == null) {
              largest = null;
            } else if (!moment.ends()) {
              if (largest != null && token(call) < token(largest)) {
                found.accept(largest, call);
              }
            } else if (largest == null || token(call) > token(largest)) {
              largest = call;
            }
          }
        });
  }

  private List<Moment> moments(String key, List<Call> calls) {
    List<Fault> faults =
        history.faults().stream()
            .filter(each -> each.breaks(Detail.REGISTERS) && each.concerns(key))
            .toList();
    List<Moment> moments = new ArrayList<>();
    for (Call call : calls) {
      if (call.ended(Phase.OK)
          && faults.stream().noneMatch(each -> each.overlaps(call.from(), call.to()))) {
        moments.add(new Moment(call.from(), false, call));
        moments.add(new Moment(call.to(), true, call));
      }
    }
    faults.forEach(each -> moments.add(new Moment(each.from(), false, null)));
    moments.sort(Comparator.comparingLong(Moment::time).thenComparing(Moment::ends));
    return moments;
  }

  /** Calls back for each two writes that were accepted and have the same value of a detail. */
  void findTwins(String detail, BiConsumer<Call, Call> found) {
    for (List<Call> calls : writes.values()) {
      Map<String, Call> seen = new HashMap<>();
      for (Call call : calls) {
        String value = call.detail(detail);
        if (value != null && call.ended(Phase.OK)) {
          Call twin = seen.put(value, call);
          if (twin != null && !(value.isEmpty() && wereCleared())) {
            found.accept(twin, call);
          }
        }
      }
    }
  }

  static long token(Call call) {
    return call.number(Detail.TOKEN, 0);
  }
}
