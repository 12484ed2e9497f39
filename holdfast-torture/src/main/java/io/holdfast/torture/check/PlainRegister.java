package io.holdfast.torture.check;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryIndex;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The register that looks at nothing. What goes wrong there is counted and told, but is no
 * violation: it shows that the faults bite, and what the tokens of the other register prevent.
 */
final class PlainRegister implements Check {
  @Override
  public String name() {
    return "plain register";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    Registers registers = new Registers(history, Action.PLAIN_WRITE, "plain");
    AtomicLong back = new AtomicLong();
    AtomicLong twins = new AtomicLong();
    registers.findGoingBack((earlier, later) -> back.incrementAndGet());
    registers.findTwins(Detail.BASIS, (one, two) -> twins.incrementAndGet());
    registers.writes().values().forEach(each -> findings.looked(each.size()));
    findings.note(
        "anomalies, which are expected here: %d went back, %d lost updates"
            .formatted(back.get(), twins.get()));
    return findings.verdict();
  }
}
