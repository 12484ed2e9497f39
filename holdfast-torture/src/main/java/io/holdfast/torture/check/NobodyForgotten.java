package io.holdfast.torture.check;

import io.holdfast.torture.history.Call;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.history.Subject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Every call comes to an end unless its process is killed, and nobody waits for a lock that nobody
 * has.
 *
 * <pre>
 *   A   ====RELEASE returned|
 *   B      INVOKE  - - - - - - - - - - - - - - - - - - - OK      nobody has it for long, and yet
 *   C         INVOKE  - - - - - - - - - - - - - - - - - - - - -  both wait: a wake-up was lost
 *                           |<----- longer than idle -----|
 * </pre>
 *
 * <p>A hold counts from the moment it was told. One that ended without a word, an acquisition whose
 * result is not known and one that was given up may stay in the store for a lease. Time in which
 * something was broken, and a lease after it, does not count.
 */
final class NobodyForgotten implements Check {
  private record Span(long from, long to) {}

  @Override
  public String name() {
    return "nobody forgotten";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    for (Call call : history.calls()) {
      findings.looked();
      if (call.end() == null && history.killed(call.client()) == Long.MAX_VALUE) {
        findings.violated(
            "a call of %s never came to an end".formatted(call.client()), call.events());
      }
    }
    history
        .attempts()
        .forEach((subject, attempts) -> checkIdle(history, subject, settings, findings));
    return findings.verdict();
  }

  private static void checkIdle(
      HistoryIndex history, Subject subject, CheckSettings settings, Findings findings) {
    List<Call> attempts = history.attempts().getOrDefault(subject, List.of());
    long lease = settings.recovery();
    long idle = settings.idle().toNanos();
    List<Span> busy = new ArrayList<>();
    for (Hold hold : history.holds().getOrDefault(subject, List.of())) {
      busy.add(new Span(hold.granted(), mayLast(history, hold, lease)));
    }
    for (Call call : attempts) {
      if (isMulti(call)) {
        busy.add(new Span(call.from(), plus(call.to(), lease)));
      } else if (!call.ended(Phase.OK)) {
        long gone = Math.min(call.to(), history.killed(call.client()));
        busy.add(new Span(gone - idle, plus(gone, lease)));
      }
    }
    history.faults().forEach(each -> busy.add(new Span(each.from(), plus(each.until(), lease))));
    for (Span gap : gaps(busy, history.begin(), history.end(), idle)) {
      for (Call call : attempts) {
        if (call.from() > gap.to() - idle) {
          break;
        }
        long until = Math.min(call.to(), history.killed(call.client())); // the dead do not wait
        long waited = Math.min(until, gap.to()) - Math.max(call.from(), gap.from());
        if (waited > idle && !isMulti(call)) {
          findings.violated(
              "%s: %s waits for it although nobody has it for %s"
                  .formatted(subject, call.client(), Findings.millis(waited)),
              call.events());
        }
      }
    }
  }

  /** One who waits for several locks may have this one and wait for another. */
  private static boolean isMulti(Call call) {
    return "multi".equals(call.detail(Detail.PRIMITIVE));
  }

  private static long mayLast(HistoryIndex history, Hold hold, long lease) {
    Call release = hold.release();
    if (release != null && (release.ended(Phase.OK) || release.ended(Phase.FAIL))) {
      return release.to();
    }
    return plus(Math.min(hold.endedBy(), history.killed(hold.client())), lease);
  }

  private static long plus(long time, long more) {
    return time > Long.MAX_VALUE - more ? Long.MAX_VALUE : time + more;
  }

  private static List<Span> gaps(List<Span> busy, long begin, long end, long idle) {
    busy.sort(Comparator.comparingLong(Span::from));
    List<Span> gaps = new ArrayList<>();
    long free = begin;
    for (Span span : busy) {
      if (span.from() - free > idle) {
        gaps.add(new Span(free, span.from()));
      }
      free = Math.max(free, span.to());
    }
    if (end - idle > free) {
      gaps.add(new Span(free, end));
    }
    return gaps;
  }
}
