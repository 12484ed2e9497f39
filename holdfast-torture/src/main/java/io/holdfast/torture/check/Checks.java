package io.holdfast.torture.check;

import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import java.util.List;
import java.util.stream.Stream;

/**
 * All checkers.
 *
 * <pre>{@code
 * List<HistoryEvent> events = HistoryReader.readDirectory(run);
 * List<Verdict> verdicts = Checks.run(events, CheckSettings.of(Duration.ofSeconds(3)));
 * }</pre>
 */
public final class Checks {
  private Checks() {}

  /** Those that look at a history a few times. */
  public static List<Check> invariants() {
    return List.of(
        new OneHolder(),
        new TokensGrow(),
        new LossIsTold(),
        new NothingTakenAway(),
        new HoldersLearn(),
        new StaleChainsEnd(),
        new ObtainableAgain(),
        new NobodyForgotten(),
        new FencedRegister(),
        new PlainRegister(),
        new NothingLeft(),
        new NoBugs());
  }

  /** Looks at the order of fair locks alone. */
  public static Verdict fairOrder(List<HistoryEvent> events, CheckSettings settings) {
    return new InTurn().check(new HistoryIndex(events), settings);
  }

  /** Holds a history, given in the order of time, against all rules and models. */
  public static List<Verdict> run(List<HistoryEvent> events, CheckSettings settings) {
    HistoryIndex history = new HistoryIndex(events);
    return Stream.concat(invariants().stream(), Stream.of(new Linearizable(), new InTurn()))
        .map(each -> each.check(history, settings))
        .toList();
  }
}
