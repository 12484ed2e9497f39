package io.holdfast.torture.check;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Call;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The register that looks at tokens never goes back and loses nothing that it acknowledged,
 * whatever happens to the locks: this is what fencing is for.
 *
 * <p>Its writes are a chain, where each tells what it replaced. Two that replaced the same, or one
 * that replaced something with a larger token or that nobody wrote, break it.
 */
final class FencedRegister implements Check {
  @Override
  public String name() {
    return "fenced register";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    Registers registers = new Registers(history, Action.FENCED_WRITE, "fenced");
    registers.findGoingBack(
        (earlier, later) ->
            findings.violated(
                "the register '%s' goes back from the token %d to %d"
                    .formatted(
                        later.invoke().key(), Registers.token(earlier), Registers.token(later)),
                events(earlier, later)));
    registers.findTwins(
        Detail.PREVIOUS,
        (one, two) ->
            findings.violated(
                "the register '%s' lost a write: two replaced the same value"
                    .formatted(two.invoke().key()),
                events(one, two)));
    registers
        .writes()
        .values()
        .forEach(writes -> checkChain(writes, registers.wereCleared(), findings));
    checkReads(history, registers, findings);
    return findings.verdict();
  }

  private static void checkChain(List<Call> writes, boolean cleared, Findings findings) {
    Map<String, Call> byValue = byValue(writes);
    for (Call call : writes) {
      findings.looked();
      String previous = call.detail(Detail.PREVIOUS);
      if (previous == null || !call.ended(Phase.OK) || previous.isEmpty()) {
        continue;
      }
      Call replaced = byValue.get(previous);
      if (replaced == null) {
        findings.violated("a value was replaced that nobody wrote", call.events());
      } else if (Registers.token(replaced) > Registers.token(call) && !cleared) {
        findings.violated("a value with a larger token was replaced", events(replaced, call));
      }
    }
  }

  private static void checkReads(HistoryIndex history, Registers registers, Findings findings) {
    Map<String, Map<String, Call>> written = new HashMap<>();
    registers.writes().forEach((key, writes) -> written.put(key, byValue(writes)));
    for (Call read : history.calls(Action.READ_REGISTER)) {
      String value = read.detail(Detail.VALUE);
      if ("fenced".equals(read.detail(Detail.REGISTER)) && read.ended(Phase.OK) && value != null) {
        findings.looked();
        Call write = written.getOrDefault(read.invoke().key(), Map.of()).get(value);
        if (write == null
            || Registers.token(write) != Registers.token(read)
            || write.from() > read.to()
            || write.ended(Phase.FAIL)) {
          findings.violated("a value was read that nobody wrote with this token", read.events());
        }
      }
    }
  }

  private static Map<String, Call> byValue(List<Call> writes) {
    Map<String, Call> byValue = new HashMap<>();
    for (Call each : writes) {
      String value = each.detail(Detail.VALUE);
      if (value != null) {
        byValue.put(value, each);
      }
    }
    return byValue;
  }

  private static List<HistoryEvent> events(Call one, Call two) {
    List<HistoryEvent> events = new ArrayList<>(one.events());
    events.addAll(two.events());
    return events;
  }
}
