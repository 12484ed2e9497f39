package io.holdfast.torture.run;

import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.store.EngineName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What came of one engine.
 *
 * @param engine which
 * @param version of its server
 * @param worked for how long
 * @param operations how many operations the clients did
 * @param faults what was done, fault by fault
 * @param possible faults that could have been drawn
 * @param notRun faults that were asked for and that cannot be done here, with the reason
 * @param losses how many losses holders were told of
 * @param verdicts what the checkers say
 * @param history where the history is
 * @param untried what the run was to try and could not
 */
public record EngineResult(
    EngineName engine,
    String version,
    Duration worked,
    long operations,
    List<FaultTally> faults,
    Set<FaultKind> possible,
    Map<FaultKind, String> notRun,
    long losses,
    List<Verdict> verdicts,
    Path history,
    List<Untried> untried) {

  /** What was violated. */
  public List<Verdict> violated() {
    return verdicts.stream().filter(each -> each.status() == Verdict.Status.VIOLATED).toList();
  }

  /** How many things are wrong. */
  public long violations() {
    return violated().stream().mapToLong(Verdict::count).sum();
  }

  /** How many pairs of grants of fair locks were compared. */
  public long fairPairs() {
    return verdicts.stream()
        .filter(each -> each.check().equals(Verdict.FAIR_ORDER))
        .mapToLong(Verdict::looked)
        .sum();
  }

  /** Everything that is open: not tried, not possible here, or not decided. */
  public List<Untried> open() {
    List<Untried> open = new ArrayList<>(untried);
    notRun.forEach((kind, why) -> open.add(new Untried(kind.label(), why)));
    verdicts.stream()
        .filter(each -> each.status() == Verdict.Status.NOT_DECIDED)
        .forEach(each -> open.add(new Untried(each.check(), "not decided: " + each.note())));
    return open;
  }

  /** How many questions could not be decided. */
  public long undecided() {
    return verdicts.stream().filter(each -> each.status() == Verdict.Status.NOT_DECIDED).count();
  }
}
