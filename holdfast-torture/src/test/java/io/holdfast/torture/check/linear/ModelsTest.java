package io.holdfast.torture.check.linear;

import static io.holdfast.torture.history.Phase.FAIL;
import static io.holdfast.torture.history.Phase.NOTE;
import static io.holdfast.torture.history.Phase.OK;
import static io.holdfast.torture.history.Phase.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Scene;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Every model, with histories that it must accept and histories that it must refuse. */
class ModelsTest {
  private static final long BUDGET = 1_000_000;

  private static LinearResult result(String model, Scene scene) {
    List<LinearSuite.Outcome> outcomes =
        Stream.concat(
                LinearSuite.check(scene.index(), BUDGET).stream(),
                LinearSuite.checkOrder(scene.index(), BUDGET, 1_000_000).stream())
            .filter(each -> each.model().equals(model))
            .toList();
    assertThat(outcomes).as("the model is asked").hasSize(1);
    return outcomes.get(0).result();
  }

  private static void accepts(String model, Scene scene) {
    assertThat(result(model, scene)).isInstanceOf(LinearResult.Found.class);
  }

  private static void refuses(String model, Scene scene) {
    assertThat(result(model, scene)).isInstanceOf(LinearResult.Refused.class);
  }

  @Nested
  class Mutex {
    @Test
    void oneAfterTheOtherIsRight() {
      accepts(
          "mutex",
          new Scene()
              .obtain(0, 10, "A1")
              .obtain(5, 30, "B1")
              .valid(20, "A1")
              .release(25, 35, "A1")
              .valid(40, "B1")
              .release(45, 50, "B1"));
    }

    @Test
    void twoAtOnceIsWrong() {
      LinearResult result =
          result(
              "mutex",
              new Scene()
                  .obtain(0, 10, "A1")
                  .obtain(5, 20, "B1")
                  .valid(21, "A1")
                  .valid(30, "B1")
                  .release(40, 41, "A1")
                  .release(40, 41, "B1"));
      assertThat(result)
          .isInstanceOfSatisfying(
              LinearResult.Refused.class,
              refused -> {
                assertThat(refused.why()).contains("held by A1").contains("B obtains it");
                assertThat(refused.events()).hasSize(4);
              });
    }

    @Test
    void theSameWithoutASignOfTheBeliefIsRight() {
      accepts(
          "mutex",
          new Scene()
              .obtain(0, 10, "A1")
              .obtain(5, 20, "B1")
              .note(21, "A1", Action.VALID_END)
              .valid(30, "B1"));
    }

    @Test
    void theHoldOfAKilledProcessMayEndAtAnyTime() {
      accepts(
          "mutex",
          new Scene()
              .obtain(0, 10, "A1")
              .valid(20, "A1")
              .fault(25, 26, "A", Detail.KILL, "")
              .obtain(30, 40, "B1")
              .valid(50, "B1"));
    }

    @Test
    void butNotBeforeItWasLastSeenAlive() {
      refuses(
          "mutex",
          new Scene()
              .obtain(0, 10, "A1")
              .valid(50, "A1")
              .fault(55, 56, "A", Detail.KILL, "")
              .obtain(30, 40, "B1"));
    }

    @Test
    void aReleaseOfOneWhoHasLostItDoesNotFreeTheNext() {
      Scene scene =
          new Scene()
              .obtain(0, 10, "A1")
              .note(20, "A1", Action.LOST)
              .obtain(15, 30, "B1")
              .release(40, 50, "A1", FAIL)
              .obtain(35, 60, "C1")
              .valid(70, "C1");
      accepts("mutex", scene);
      refuses("mutex", scene.valid(61, "B1"));
    }

    @Test
    void anAcquisitionThatIsNotKnownMayHaveDoneNothing() {
      accepts(
          "mutex",
          new Scene()
              .call(0, 10, "A", Action.ACQUIRE, UNKNOWN)
              .pending(0, "C", Action.ACQUIRE)
              .call(0, 10, "D", Action.ACQUIRE, FAIL)
              .obtain(20, 30, "B1")
              .valid(40, "B1"));
    }

    @Test
    void aFaultThatBreaksExclusionExcusesHoldsThatExistedThen() {
      Scene scene =
          new Scene()
              .obtain(0, 10, "A1")
              .fault(20, 21, "", Detail.FORGET, Detail.EXCLUSION)
              .obtain(30, 40, "B1")
              .valid(50, "A1")
              .valid(60, "B1");
      accepts("mutex", scene);
      refuses("mutex", scene.obtain(70, 80, "C1").obtain(82, 85, "D1").valid(90, "C1"));
    }
  }

  @Nested
  class Reentrant {
    @Test
    void entriesInsideAreRight() {
      accepts(
          "reentrant mutex",
          new Scene()
              .obtain(0, 10, "A1")
              .obtain(12, 13, "A1", Detail.HOW, "reenter")
              .release(20, 21, "A1", OK, Detail.REENTRANT, "true")
              .obtain(5, 40, "B1")
              .release(30, 35, "A1"));
    }

    @Test
    void anEntryIntoWhatIsOverIsWrong() {
      refuses(
          "reentrant mutex",
          new Scene()
              .obtain(0, 10, "A1")
              .note(20, "A1", Action.LOST)
              .obtain(30, 31, "A1", Detail.HOW, "reenter"));
    }

    @Test
    void moreExitsThanEntriesAreWrong() {
      refuses(
          "reentrant mutex",
          new Scene()
              .obtain(0, 10, "A1")
              .release(20, 21, "A1", OK, Detail.REENTRANT, "true")
              .release(30, 31, "A1"));
    }
  }

  @Nested
  class Fenced {
    @Test
    void tokensMayComeInAnyOrderThatTimeAllows() {
      accepts(
          "fenced mutex",
          new Scene()
              .obtain(0, 40, "A1", Detail.TOKEN, "7")
              .obtain(0, 10, "B1", Detail.TOKEN, "5")
              .release(20, 30, "B1"));
    }

    @Test
    void aLaterGrantWithASmallerTokenIsWrong() {
      refuses(
          "fenced mutex",
          new Scene()
              .obtain(0, 10, "B1", Detail.TOKEN, "7")
              .release(20, 30, "B1")
              .obtain(31, 40, "A1", Detail.TOKEN, "5"));
    }

    @Test
    void tokensHoldWhateverBreaksExclusion() {
      refuses(
          "fenced mutex",
          new Scene()
              .obtain(0, 10, "B1", Detail.TOKEN, "7")
              .fault(15, 16, "", Detail.FORGET, Detail.EXCLUSION)
              .obtain(31, 40, "A1", Detail.TOKEN, "5"));
    }
  }

  @Nested
  class ReadWrite {
    private static Scene readers() {
      return new Scene()
          .obtain(0, 10, "A1", Detail.PRIMITIVE, "read")
          .obtain(5, 15, "B1", Detail.PRIMITIVE, "read")
          .valid(30, "A1")
          .valid(30, "B1");
    }

    @Test
    void readersTogetherAndThenAWriterAreRight() {
      accepts(
          "read-write",
          readers()
              .release(31, 40, "A1")
              .release(31, 40, "B1")
              .obtain(20, 41, "C1", Detail.PRIMITIVE, "write")
              .valid(50, "C1"));
    }

    @Test
    void aWriterBesideAReaderIsWrong() {
      refuses("read-write", readers().obtain(16, 20, "C1", Detail.PRIMITIVE, "write"));
    }

    @Test
    void aWriterMayReadItself() {
      accepts(
          "read-write",
          new Scene()
              .obtain(0, 10, "A1", Detail.PRIMITIVE, "write")
              .obtain(11, 12, "A2", Detail.PRIMITIVE, "read")
              .release(20, 21, "A1")
              .valid(30, "A2")
              .obtain(22, 25, "B1", Detail.PRIMITIVE, "read"));
    }

    @Test
    void aDowngradedWriterKeepsWritersOut() {
      refuses(
          "read-write",
          new Scene()
              .obtain(0, 10, "A1", Detail.PRIMITIVE, "write")
              .obtain(11, 12, "A2", Detail.PRIMITIVE, "read")
              .release(20, 21, "A1")
              .valid(30, "A2")
              .obtain(22, 25, "B1", Detail.PRIMITIVE, "write"));
    }
  }

  @Nested
  class Permits {
    private static Scene held(String more) {
      return new Scene()
          .obtain(
              0, 10, "A1", Detail.PRIMITIVE, "semaphore", Detail.PERMITS, "2", Detail.LIMIT, "3")
          .obtain(
              11, 20, "B1", Detail.PRIMITIVE, "semaphore", Detail.PERMITS, more, Detail.LIMIT, "3")
          .valid(30, "A1")
          .valid(30, "B1");
    }

    @Test
    void asManyAsThereAreIsRight() {
      accepts("permits", held("1"));
    }

    @Test
    void oneMoreIsWrong() {
      refuses("permits", held("2"));
    }
  }

  @Nested
  class Latch {
    private static Scene set() {
      return new Scene()
          .call(0, 10, "A", Action.SET_COUNT, OK, Detail.COUNT, "2", Detail.RESULT, "true")
          .call(11, 20, "B", Action.COUNT_DOWN, OK, Detail.LEFT, "1");
    }

    @Test
    void itOpensAtZero() {
      accepts(
          "latch",
          set()
              .call(5, 40, "C", Action.AWAIT, OK)
              .call(21, 30, "B", Action.COUNT_DOWN, OK, Detail.LEFT, "0")
              .call(41, 50, "B", Action.COUNT_DOWN, FAIL)
              .call(51, 52, "A", Action.SET_COUNT, OK, Detail.COUNT, "2", Detail.RESULT, "true")
              .call(53, 54, "A", Action.SET_COUNT, OK, Detail.COUNT, "2", Detail.RESULT, "false"));
    }

    @Test
    void toPassBeforeIsWrong() {
      refuses("latch", set().call(15, 40, "C", Action.AWAIT, OK));
    }

    @Test
    void aCountThatIsNotKnownMayExplainIt() {
      accepts(
          "latch",
          set()
              .call(12, 22, "C", Action.COUNT_DOWN, UNKNOWN)
              .pending(25, "D", Action.COUNT_DOWN)
              .call(15, 40, "C", Action.AWAIT, OK));
    }

    @Test
    void butNotBeforeItBegan() {
      refuses(
          "latch",
          set().call(21, 40, "C", Action.AWAIT, OK).call(41, 42, "C", Action.COUNT_DOWN, UNKNOWN));
    }

    @Test
    void aCountThatIsTwiceTheSameIsWrong() {
      refuses("latch", set().call(11, 20, "C", Action.COUNT_DOWN, OK, Detail.LEFT, "1"));
    }

    @Test
    void aStoreThatForgetsOpensIt() {
      accepts(
          "latch",
          set()
              .fault(21, 22, "", Detail.FORGET, Detail.EXCLUSION)
              .call(23, 40, "C", Action.AWAIT, OK));
    }

    @Test
    void aClockThatJumpsDoesNothingToIt() {
      refuses(
          "latch",
          set()
              .fault(21, 22, "", Detail.CLOCK, Detail.EXCLUSION)
              .call(23, 40, "C", Action.AWAIT, OK));
    }

    @Test
    void aStoreThatMayHaveLostWritesLeavesItOpenWhetherItIsRight() {
      assertThat(
              result(
                  "latch",
                  set()
                      .fault(21, 22, "", "", Detail.EXCLUSION)
                      .call(23, 40, "C", Action.AWAIT, OK)))
          .isInstanceOf(LinearResult.Undecided.class);
    }
  }

  @Nested
  class Fair {
    private static final String[] FAIR = {Detail.PRIMITIVE, "fair"};

    /** B is seen in the queue behind A, C comes later and gets it before B. */
    private static Scene overtaken(String second) {
      return new Scene()
          .obtain(0, 10, "A1", FAIR)
          .obtain(12, 60, "B1", FAIR)
          .event(20, "B", 0, NOTE, Action.QUEUED, Detail.WAITER, "B")
          .release(30, 35, "A1")
          .obtain(25, 40, second, FAIR)
          .release(45, 50, second)
          .valid(65, "B1");
    }

    @Test
    void overtakingIsWrong() {
      refuses("fair order", overtaken("C1"));
    }

    /** B is seen behind A, C comes later and gets it; B is seen again then, and never gets it. */
    private static Scene starving(String second, long seenAgain) {
      return new Scene()
          .obtain(0, 10, "A1", FAIR)
          .pending(12, "B", Action.ACQUIRE, FAIR)
          .event(20, "B", 0, NOTE, Action.QUEUED, Detail.WAITER, "B")
          .obtain(25, 40, second, FAIR)
          .valid(28, "A1")
          .release(30, 35, "A1")
          .event(seenAgain, "B", 0, NOTE, Action.QUEUED, Detail.WAITER, "B");
    }

    @Test
    void whoIsNeverServedIsPassedOver() {
      refuses("fair order", starving("C1", 45));
    }

    @Test
    void whoMayHaveGotItInBetweenIsNotPassedOver() {
      accepts("fair order", starving("C1", 38));
    }

    @Test
    void whoIsNeverServedMayHaveToWaitForThreadsOfTheHolder() {
      accepts("fair order", starving("A2", 45));
    }

    @Test
    void whatBreaksLaterDoesNotExcuseWhatWasSeen() {
      refuses(
          "fair order",
          starving("C1", 45)
              .fault(46, 47, "B", Detail.KILL, "")
              .event(48, "B", 0, NOTE, Action.QUEUED, Detail.WAITER, "B"));
    }

    @Test
    void aPlaceOfAProcessThatHeldWhenItAskedMayBeAnother() {
      accepts("fair order", starving("C1", 45).obtain(1, 2, "B9", FAIR).release(14, 16, "B9"));
    }

    @Test
    void whoIsCutOffIsNotPassedOver() {
      accepts("fair order", starving("C1", 45).fault(22, 23, "B", Detail.PAUSE, ""));
    }

    @Test
    void theProcessThatHasItMayPassItOn() {
      List<LinearSuite.Outcome> outcomes =
          LinearSuite.checkOrder(overtaken("A2").index(), BUDGET, 1_000_000);
      assertThat(outcomes).allMatch(each -> each.result() instanceof LinearResult.Found);
    }

    @Test
    void theProcessThatHadItLastMayTakeItAgain() {
      accepts(
          "fair order",
          new Scene()
              .obtain(0, 10, "A1", FAIR)
              .release(14, 16, "A1")
              .obtain(12, 60, "B1", FAIR)
              .event(20, "B", 0, NOTE, Action.QUEUED, Detail.WAITER, "B")
              .obtain(25, 40, "A2", FAIR)
              .release(45, 50, "A2")
              .valid(65, "B1"));
    }

    @Test
    void whereSomethingWasBrokenNothingIsCertain() {
      assertThat(
              LinearSuite.checkOrder(
                  overtaken("C1").fault(22, 23, "B", Detail.PAUSE, "").index(), BUDGET, 1_000_000))
          .allMatch(each -> each.result() instanceof LinearResult.Found);
    }

    private static int compared(Scene scene) {
      return LinearSuite.checkOrder(scene.index(), BUDGET, 1_000_000).stream()
          .mapToInt(LinearSuite.Outcome::operations)
          .sum();
    }

    /** A has it, B waits, and C comes when B was seen, or was not. */
    private static Scene inTurn(String look, String waiter, long looked) {
      return new Scene()
          .obtain(0, 10, "A1", FAIR)
          .obtain(12, 40, "B1", FAIR)
          .event(
              20,
              look,
              0,
              NOTE,
              Action.QUEUED,
              Detail.WAITER,
              waiter,
              Detail.LOOKED,
              Long.toString(looked * 1_000_000))
          .obtain(25, 60, "C1", FAIR)
          .valid(28, "A1")
          .release(30, 35, "A1")
          .release(50, 55, "B1");
    }

    @Test
    void aPairThatIsInTurnIsCounted() {
      assertThat(compared(inTurn("B", "B", 18))).isEqualTo(1);
    }

    @Test
    void whoWasSeenByOthersOnlyIsNotCompared() {
      assertThat(compared(inTurn("C", "B", 18))).isZero();
    }

    @Test
    void aLookThatBeganBeforeTheCallMayHaveSeenAnOlderPlace() {
      assertThat(compared(inTurn("B", "B", 11))).isZero();
    }

    @Test
    void aCallThatWasGivenUpMayHaveLeftAnOlderPlace() {
      Scene scene = inTurn("B", "B", 18).call(21, 24, "C", Action.ACQUIRE, FAIL, FAIR);
      assertThat(compared(scene)).isZero();
    }

    @Test
    void whoHadItLastMayHaveItStill() {
      Scene scene =
          new Scene()
              .obtain(0, 10, "C1", FAIR)
              .obtain(12, 40, "B1", FAIR)
              .event(18, "B", 0, NOTE, Action.QUEUED, Detail.WAITER, "B")
              .release(20, 22, "C1")
              .obtain(25, 60, "C2", FAIR);
      assertThat(compared(scene)).isZero();
    }

    @Test
    void aFaultShortlyBeforeLeavesNothingCertain() {
      assertThat(compared(inTurn("B", "B", 18).fault(1, 2, "B", Detail.PAUSE, ""))).isZero();
    }

    @Test
    void inTurnIsRight() {
      accepts(
          "fair order",
          new Scene()
              .obtain(0, 10, "A1", FAIR)
              .obtain(12, 60, "B1", FAIR)
              .event(20, "B", 0, NOTE, Action.QUEUED, Detail.WAITER, "B")
              .release(30, 35, "A1")
              .obtain(25, 55, "C1", FAIR));
    }
  }
}
