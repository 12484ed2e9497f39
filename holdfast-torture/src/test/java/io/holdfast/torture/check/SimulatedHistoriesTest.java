package io.holdfast.torture.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockBackend;
import io.holdfast.torture.broken.BrokenEngine;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.history.Subject;
import io.holdfast.torture.sim.Simulation;
import io.holdfast.torture.sim.Weather;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Histories that nobody wrote by hand: of simulated lives, which are accepted as they are, and
 * refused once they are changed.
 */
class SimulatedHistoriesTest {
  private static final int LIVES = Integer.getInteger("holdfast.histories", 15);
  private static final CheckSettings SETTINGS =
      CheckSettings.of(Duration.ofSeconds(3))
          .patience(Duration.ofSeconds(1), Duration.ofMillis(1), Duration.ofSeconds(2))
          .answers(Duration.ofMillis(5))
          .resuming();

  private static List<HistoryEvent> life(long seed, Weather weather) {
    return life(seed, weather, each -> each);
  }

  private static List<HistoryEvent> life(
      long seed, Weather weather, UnaryOperator<LockBackend> engine) {
    return new Simulation(seed, weather, engine, false).run().history();
  }

  private static List<Verdict> wrong(List<HistoryEvent> events) {
    return Checks.run(events, SETTINGS).stream().filter(each -> !each.passed()).toList();
  }

  private static List<String> names(List<HistoryEvent> events) {
    return wrong(events).stream().map(Verdict::check).toList();
  }

  static List<Weather> weathers() {
    return List.of(Weather.FINE, Weather.STORMY, Weather.VANDALS, Weather.DELETIONS);
  }

  @ParameterizedTest
  @MethodSource("weathers")
  void areAccepted(Weather weather) {
    for (long seed = 1; seed <= LIVES; seed++) {
      List<HistoryEvent> events = life(seed, weather);
      assertThat(events).hasSizeGreaterThan(200);
      assertThat(wrong(events)).as("seed %d", seed).isEmpty();
    }
  }

  /** Two holds of one lock, the second asked for after the first was told, with tokens. */
  private static Hold[] neighbours(List<HistoryEvent> events) {
    HistoryIndex history = new HistoryIndex(events);
    List<Hold> holds =
        history.holds().getOrDefault(new Subject(Subject.Kind.LOCK, "first"), List.of());
    for (int i = 1; i < holds.size(); i++) {
      Hold one = holds.get(i - 1);
      Hold two = holds.get(i);
      if (one.token() != 0
          && two.token() != 0
          && two.acquire().from() > one.granted()
          && one.excuse() == null // what vandals did to a hold is no fault of the engine
          && two.excuse() == null
          && two.seenValid() > two.granted() + 1_000_000) {
        return new Hold[] {one, two};
      }
    }
    return new Hold[0];
  }

  private static List<HistoryEvent> lifeWithNeighbours(Weather weather) {
    for (long seed = 1; seed <= 100; seed++) {
      List<HistoryEvent> events = life(seed, weather);
      if (neighbours(events).length > 0) {
        return new ArrayList<>(events);
      }
    }
    throw new AssertionError("no such holds");
  }

  private static List<HistoryEvent> sorted(List<HistoryEvent> events) {
    events.sort(Comparator.comparingLong(HistoryEvent::nanos));
    return events;
  }

  private static HistoryEvent with(HistoryEvent event, String detail, long value) {
    Map<String, String> details = new HashMap<>(event.details());
    details.put(detail, Long.toString(value));
    return new HistoryEvent(
        event.nanos(),
        event.client(),
        event.thread(),
        event.op(),
        event.phase(),
        event.action(),
        event.key(),
        details);
  }

  @ParameterizedTest
  @MethodSource("weathers")
  void areRefusedWhenABeliefLastsTooLong(Weather weather) {
    List<HistoryEvent> events = lifeWithNeighbours(weather);
    Hold[] two = neighbours(events);
    HistoryEvent told = two[0].acquire().invoke();
    events.add(
        new HistoryEvent(
            two[1].granted() + 500_000,
            told.client(),
            told.thread(),
            0,
            Phase.NOTE,
            Action.VALID,
            told.key(),
            Map.of(Detail.HOLDER, two[0].id())));
    assertThat(names(sorted(events))).contains("one holder", "linearizable");
  }

  @ParameterizedTest
  @MethodSource("weathers")
  void areRefusedWhenTokensAreSwapped(Weather weather) {
    List<HistoryEvent> events = lifeWithNeighbours(weather);
    Hold[] two = neighbours(events);
    events.replaceAll(
        event -> {
          boolean first = event.equals(two[0].acquire().end());
          return first || event.equals(two[1].acquire().end())
              ? with(event, Detail.TOKEN, two[first ? 1 : 0].token())
              : event;
        });
    assertThat(names(events)).contains("tokens grow", "linearizable");
  }

  @ParameterizedTest
  @MethodSource("weathers")
  void areRefusedWhenAnAnswerIsMissing(Weather weather) {
    List<HistoryEvent> events = lifeWithNeighbours(weather);
    events.remove(neighbours(events)[1].acquire().end());
    assertThat(names(events)).contains("nobody forgotten");
  }

  /** The store says of every lock that it is still ours: a chain ends with its leases alone. */
  @Test
  void aChainThatIsHandedOverForTooLongAfterADeletionIsRefused() {
    assertThat(LongStream.rangeClosed(1, 100))
        .anyMatch(
            seed ->
                names(life(seed, Weather.VANDALS, BrokenEngine.RENEWS_FOR_ANYBODY::of))
                    .contains("tokens grow"));
  }

  /** A stale hold is rare: it takes another process that comes just after the deletion. */
  @Test
  void ofDeletionsHaveStaleChainsThatEndInTime() {
    long looked = 0;
    for (long seed = 1; seed <= 400; seed++) {
      Verdict verdict = staleChainsEnd(life(seed, Weather.DELETIONS));
      assertThat(verdict).as("seed %d", seed).matches(Verdict::passed, "passed");
      looked += verdict.looked();
    }
    assertThat(looked).as("stale holds").isGreaterThan(3);
  }

  /** Then nobody hears that a lock is gone before its next renewal: two thirds of the lease. */
  @Test
  void whereTheStoreIsNotAskedAStaleChainIsRefused() {
    assertThat(
            LongStream.rangeClosed(1, 2000)
                .anyMatch(
                    seed ->
                        !staleChainsEnd(
                                life(
                                    seed, Weather.DELETIONS, SimulatedHistoriesTest::withoutChecks))
                            .passed()))
        .isTrue();
  }

  private static Verdict staleChainsEnd(List<HistoryEvent> events) {
    return new StaleChainsEnd().check(new HistoryIndex(events), SETTINGS);
  }

  private static LockBackend withoutChecks(LockBackend real) {
    return (LockBackend)
        Proxy.newProxyInstance(
            LockBackend.class.getClassLoader(),
            new Class<?>[] {LockBackend.class},
            (proxy, method, arguments) ->
                method.getName().equals("check")
                    ? new CompletableFuture<>()
                    : method.invoke(real, arguments));
  }

  @ParameterizedTest
  // There is no latch in the simulation, and nobody who looks at queues.
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"COUNTS_TWICE", "HANDS_TO_WHO_CAME_LAST"})
  void ofBrokenEnginesAreRefused(BrokenEngine broken) {
    List<String> found = List.of();
    for (long seed = 1; seed <= 100 && found.isEmpty(); seed++) {
      found = names(life(seed, seed % 2 == 0 ? Weather.STORMY : Weather.VANDALS, broken::of));
    }
    assertThat(found).isNotEmpty();
  }
}
