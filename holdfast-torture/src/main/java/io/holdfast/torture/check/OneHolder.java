package io.holdfast.torture.check;

import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Subject;
import java.util.ArrayList;
import java.util.List;

/**
 * At no moment do more believe to hold something than fit beside each other.
 *
 * <pre>
 *   A   OK |=========VALID======VALID| - - - ?       certain from the first to the last sign
 *   B                    OK |====VALID|              two that have a moment in common are too many
 * </pre>
 *
 * <p>What lies between the last sign of a belief and its end proves nothing, so a process that was
 * paused or killed does no harm here. After a fault that breaks the promise only holds that were
 * asked for after its end count.
 */
final class OneHolder implements Check {
  @Override
  public String name() {
    return "one holder";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    for (List<Hold> holds : history.holds().values()) {
      List<Hold> present = new ArrayList<>();
      for (Hold hold : holds) { // in the order of their grants
        findings.looked();
        if (hold.certainUntil() <= hold.granted()) {
          continue;
        }
        present.removeIf(each -> each.certainUntil() <= hold.granted());
        compare(hold, present, findings);
        present.add(hold);
      }
    }
    return findings.verdict();
  }

  private static void compare(Hold hold, List<Hold> present, Findings findings) {
    if (hold.subject().kind() == Subject.Kind.SEMAPHORE) {
      long taken = hold.amount() + present.stream().mapToLong(Hold::amount).sum();
      if (taken > hold.limit()) {
        List<Hold> all = new ArrayList<>(present);
        all.add(hold);
        findings.violated(
            "%d of %d permits of %s are held".formatted(taken, hold.limit(), hold.subject()),
            all.toArray(Hold[]::new));
      }
      return;
    }
    for (Hold other : present) {
      if (hold.excludes(other)) {
        findings.violated(
            "%s: %s and %s believe to hold it at the same time, for %s at least"
                .formatted(
                    hold.subject(),
                    other.id(),
                    hold.id(),
                    Findings.millis(
                        Math.min(other.seenValid(), hold.seenValid()) - hold.granted())),
            other,
            hold);
      }
    }
  }
}
