package io.holdfast.internal.local.gate;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.local.gate.GateSuites.Evictions;
import io.holdfast.internal.local.gate.GateSuites.GivingUp;
import io.holdfast.internal.local.gate.GateSuites.Leaving;
import io.holdfast.internal.local.gate.GateSuites.Turns;
import io.holdfast.internal.local.gate.SeededGate.Bug;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Lincheck takes scenarios made of the operations of {@link GateSuites}, the hard ones written down
 * here and others at random, and runs each in many interleavings: chosen one by one by its model
 * checker, which sees every step inside the gate and {@code AbstractQueuedSynchronizer}, and left
 * to chance by its stress test. Time stands still in the model checker, so only the stress test
 * sees waiters whose time is over; they leave by the same door as the interrupted ones, which both
 * see.
 *
 * <p>The same suites must find every mistake that {@link SeededGate} can make.
 */
@Tag("gate")
@Isolated
class LocalGateLincheckTest {
  /** Profile full tries more scenarios at random; those written down here are always tried. */
  private static final boolean FULL = Boolean.getBoolean("holdfast.test.full");

  private static final List<String> HARD_TURNS =
      List.of(
          "byThreadThatEntersTwice | byCallback byThread | byThreadInOrder byCallback",
          "byCallback byCallback | byThread byThread | byCallback byThreadInOrder");

  private static final List<String> HARD_WAYS_TO_GIVE_UP =
      List.of(
          "byThread | byCallbackThatIsCancelled",
          "byThread interrupt | byThreadThatMayBeInterrupted | byCallbacks",
          "byCallbacks byThread | byThreadWithLittleTime | byThreadThatTries byCallbacks");

  private static final List<String> HARD_EVICTIONS =
      List.of("own | evict own", "own own | evict evict | byCallback own");

  private static final List<String> HARD_LEAVINGS =
      List.of("leave | leaveAndOwn", "leaveAndOwn | leaveAndOwn | leave leave");

  @Nested
  class OneAfterTheOther {
    @Test
    void threadsAndCallbacksTakeTurnsInEveryInterleaving() {
      check(modelChecking(), TurnsAtTheGate.class, HARD_TURNS);
    }

    @Test
    void threadsAndCallbacksTakeTurnsUnderStress() {
      check(stress(), TurnsAtTheGate.class, HARD_TURNS);
    }

    @Test
    void noMistakeIsFoundWhereThereIsNone() {
      check(briefly(), TurnsWithoutMistake.class, HARD_TURNS);
    }

    @Test
    void twoThatWalkInTogetherAreFound() {
      assertMistakeIsFound(TurnsWhereTwoWalkIn.class, HARD_TURNS);
    }

    @Test
    void aCallbackThatIsNotWokenIsFound() {
      assertMistakeIsFound(TurnsThatForgetCallbacks.class, HARD_TURNS);
    }
  }

  @Nested
  class GivingUpInTime {
    @Test
    void nobodyIsForgottenInAnyInterleaving() {
      check(modelChecking(), GivingUpAtTheGate.class, HARD_WAYS_TO_GIVE_UP);
    }

    @Test
    void nobodyIsForgottenUnderStress() {
      check(stress(), GivingUpAtTheGate.class, HARD_WAYS_TO_GIVE_UP);
    }

    @Test
    void noMistakeIsFoundWhereThereIsNone() {
      check(briefly(), GivingUpWithoutMistake.class, HARD_WAYS_TO_GIVE_UP);
    }

    @Test
    void aWakeUpThatIsNotPassedOnIsFound() {
      assertMistakeIsFound(GivingUpWithTheWakeUp.class, HARD_WAYS_TO_GIVE_UP);
    }

    @Test
    void aCallbackThatIsCancelledAndCalledIsFound() {
      assertMistakeIsFound(GivingUpAfterTheCall.class, HARD_WAYS_TO_GIVE_UP);
    }
  }

  @Nested
  class PuttingOut {
    @Test
    void anOwnerThatIsPutOutHarmsNobodyInAnyInterleaving() {
      check(modelChecking(), EvictionsAtTheGate.class, HARD_EVICTIONS);
    }

    @Test
    void anOwnerThatIsPutOutHarmsNobodyUnderStress() {
      check(stress(), EvictionsAtTheGate.class, HARD_EVICTIONS);
    }

    @Test
    void noMistakeIsFoundWhereThereIsNone() {
      check(briefly(), EvictionsWithoutMistake.class, HARD_EVICTIONS);
    }

    @Test
    void anExitThatIgnoresTheGenerationIsFound() {
      assertMistakeIsFound(EvictionsOfAnyone.class, HARD_EVICTIONS);
    }

    @Test
    void aReentryThatOverwritesTheNextOwnerIsFound() {
      assertMistakeIsFound(EvictionsOverwritten.class, HARD_EVICTIONS);
    }
  }

  @Nested
  class LeavingAtOnce {
    @Test
    void whoComesTooLateHarmsNobodyInAnyInterleaving() {
      check(modelChecking().invocationsPerIteration(1_000), LeavingTheGate.class, HARD_LEAVINGS);
    }

    @Test
    void whoComesTooLateHarmsNobodyUnderStress() {
      check(stress(), LeavingTheGate.class, HARD_LEAVINGS);
    }

    @Test
    void noMistakeIsFoundWhereThereIsNone() {
      check(briefly(), LeavingWithoutMistake.class, HARD_LEAVINGS);
    }

    @Test
    void whoComesTooLateAndRemovesTheNextOwnersNameIsFound() {
      assertMistakeIsFound(LeavingWithTheNextName.class, HARD_LEAVINGS);
    }
  }

  private static ModelCheckingOptions modelChecking() {
    return new ModelCheckingOptions()
        .iterations(FULL ? 3 : 1)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(0);
  }

  private static ModelCheckingOptions briefly() {
    return modelChecking().iterations(0).invocationsPerIteration(100);
  }

  private static StressOptions stress() {
    return new StressOptions()
        .iterations(FULL ? 5 : 1)
        .invocationsPerIteration(1_000)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(0)
        .actorsAfter(0);
  }

  private static void assertMistakeIsFound(Class<?> suite, List<String> scenarios) {
    ModelCheckingOptions patient =
        modelChecking().iterations(20).invocationsPerIteration(2_000).minimizeFailedScenario(false);
    assertThatThrownBy(() -> check(patient, suite, scenarios))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static void check(Options<?, ?> options, Class<?> suite, List<String> scenarios) {
    scenarios.forEach(scenario -> options.addCustomScenario(scenario(suite, scenario)));
    if (!Turns.class.isAssignableFrom(suite)) {
      options.verifier(EpsilonVerifier.class); // the suite checks for itself at the end
    }
    options.check(suite);
  }

  /** Reads "first second | first second | first": the operations of each thread. */
  private static ExecutionScenario scenario(Class<?> suite, String text) {
    List<List<Actor>> threads =
        Stream.of(text.split("\\|"))
            .map(thread -> Stream.of(thread.trim().split(" ")).map(op -> actor(suite, op)).toList())
            .toList();
    Method atTheEnd =
        Arrays.stream(suite.getMethods())
            .filter(method -> method.isAnnotationPresent(Validate.class))
            .findFirst()
            .orElseThrow();
    return new ExecutionScenario(List.of(), threads, List.of(), new Actor(atTheEnd, List.of()));
  }

  private static Actor actor(Class<?> suite, String operation) {
    try {
      return new Actor(suite.getMethod(operation), List.of());
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException("no such operation: " + operation, e);
    }
  }

  public static class TurnsAtTheGate extends Turns {
    public TurnsAtTheGate() {
      super(GateUnderTest.real());
    }
  }

  public static class TurnsWithoutMistake extends Turns {
    public TurnsWithoutMistake() {
      super(new SeededGate(Bug.NONE));
    }
  }

  public static class TurnsWhereTwoWalkIn extends Turns {
    public TurnsWhereTwoWalkIn() {
      super(new SeededGate(Bug.ENTRY_CHECKS_THEN_SETS));
    }
  }

  public static class TurnsThatForgetCallbacks extends Turns {
    public TurnsThatForgetCallbacks() {
      super(new SeededGate(Bug.EXIT_FORGETS_CALLBACKS));
    }
  }

  public static class GivingUpAtTheGate extends GivingUp {
    public GivingUpAtTheGate() {
      super(GateUnderTest.real());
    }
  }

  public static class GivingUpWithoutMistake extends GivingUp {
    public GivingUpWithoutMistake() {
      super(new SeededGate(Bug.NONE));
    }
  }

  public static class GivingUpWithTheWakeUp extends GivingUp {
    public GivingUpWithTheWakeUp() {
      super(new SeededGate(Bug.GIVING_UP_FORGETS_CALLBACKS));
    }
  }

  public static class GivingUpAfterTheCall extends GivingUp {
    public GivingUpAfterTheCall() {
      super(new SeededGate(Bug.CANCEL_AFTER_THE_CALL));
    }
  }

  public static class EvictionsAtTheGate extends Evictions {
    public EvictionsAtTheGate() {
      super(GateUnderTest.real());
    }
  }

  public static class EvictionsWithoutMistake extends Evictions {
    public EvictionsWithoutMistake() {
      super(new SeededGate(Bug.NONE));
    }
  }

  public static class EvictionsOfAnyone extends Evictions {
    public EvictionsOfAnyone() {
      super(new SeededGate(Bug.EXIT_IGNORES_GENERATION));
    }
  }

  public static class LeavingTheGate extends Leaving {
    public LeavingTheGate() {
      super(GateUnderTest.real());
    }
  }

  public static class LeavingWithoutMistake extends Leaving {
    public LeavingWithoutMistake() {
      super(new SeededGate(Bug.NONE));
    }
  }

  public static class LeavingWithTheNextName extends Leaving {
    public LeavingWithTheNextName() {
      super(new SeededGate(Bug.EXIT_DISOWNS_BEFORE_IT_LEAVES));
    }
  }

  public static class EvictionsOverwritten extends Evictions {
    public EvictionsOverwritten() {
      super(new SeededGate(Bug.REENTRY_CHECKS_THEN_SETS));
    }
  }
}
