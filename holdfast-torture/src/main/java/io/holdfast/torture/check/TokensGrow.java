package io.holdfast.torture.check;

import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A grant that came certainly after another has the larger token, if the two exclude each other,
 * and no token is given twice. Whatever breaks, this must hold.
 *
 * <p>Certainly after: asked for when the other had been told already. Readers, and permits that fit
 * beside each other, have no order: a thread may join the older tenure of its process. So may one
 * whose process has not yet learned that a fault took the tenure away; it then has a token that is
 * smaller than the one of the next holder, which is what tokens are for. This is allowed for a
 * second after the fault ({@link Hold#orderedToken}), and a violation from then on.
 */
final class TokensGrow implements Check {
  @Override
  public String name() {
    return "tokens grow";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    for (List<Hold> holds : history.holds().values()) {
      List<Hold> told = holds.stream().filter(each -> each.token() != 0).toList();
      unique(told, findings);
      growing(told, findings);
    }
    return findings.verdict();
  }

  private static void unique(List<Hold> holds, Findings findings) {
    Map<Long, Hold> seen = new HashMap<>();
    for (Hold hold : holds) {
      findings.looked();
      Hold same = seen.put(hold.token(), hold);
      if (same != null) {
        findings.violated(
            "%s: the token %d was given twice".formatted(hold.subject(), hold.token()), same, hold);
      }
    }
  }

  private static void growing(List<Hold> told, Findings findings) {
    List<Hold> asked =
        told.stream().sorted(Comparator.comparingLong(each -> each.acquire().from())).toList();
    Map<Long, Hold> largest = new HashMap<>(); // by amount, of those that were told before
    int next = 0;
    Set<Hold> wrong = new HashSet<>();
    for (Hold hold : asked) {
      while (next < told.size() && told.get(next).granted() < hold.acquire().from()) {
        Hold earlier = told.get(next++);
        largest.merge(
            earlier.amount(), earlier, (one, two) -> one.token() > two.token() ? one : two);
      }
      for (Hold earlier : largest.values()) {
        if (hold.orderedToken() != 0
            && hold.excludes(earlier)
            && earlier.token() >= hold.token()
            && wrong.add(hold)) {
          findings.violated(
              "%s: %s was granted after %s, but its token %d is not larger than %d"
                  .formatted(
                      hold.subject(), hold.id(), earlier.id(), hold.token(), earlier.token()),
              earlier,
              hold);
        }
      }
    }
  }
}
