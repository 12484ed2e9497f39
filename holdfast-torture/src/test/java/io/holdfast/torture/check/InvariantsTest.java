package io.holdfast.torture.check;

import static io.holdfast.torture.history.Phase.FAIL;
import static io.holdfast.torture.history.Phase.NOTE;
import static io.holdfast.torture.history.Phase.OK;
import static io.holdfast.torture.history.Phase.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Scene;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Every rule, with histories that keep it and histories that break it. */
class InvariantsTest {
  /** A lease of one second, everything else a tenth of it. */
  private static final CheckSettings SETTINGS =
      CheckSettings.of(Duration.ofSeconds(1))
          .patience(Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofMillis(100));

  private static final String[] TOKEN_1 = {Detail.TOKEN, "1"};
  private static final String[] TOKEN_2 = {Detail.TOKEN, "2"};

  private static Verdict verdict(Check check, Scene scene) {
    return check.check(scene.index(), SETTINGS);
  }

  private static void passes(Check check, Scene scene) {
    assertThat(verdict(check, scene)).matches(Verdict::passed, "passed");
  }

  private static void fails(Check check, Scene scene) {
    Verdict verdict = verdict(check, scene);
    assertThat(verdict.status()).as("%s", verdict).isEqualTo(Verdict.Status.VIOLATED);
    assertThat(verdict.violations()).isNotEmpty().allMatch(each -> !each.events().isEmpty());
  }

  @Nested
  class FairOrderRule {
    private final Check rule = new InTurn();
    private final String[] fair = {Detail.PRIMITIVE, "fair"};

    private Scene seen(long second) {
      return new Scene()
          .obtain(0, 10, "A1", fair)
          .obtain(12, 60, "B1", fair)
          .event(20, "B", 0, NOTE, Action.QUEUED, Detail.WAITER, "B")
          .obtain(25, second, "C1", fair)
          .valid(28, "A1")
          .release(30, 35, "A1");
    }

    @Test
    void inTurn() {
      passes(rule, seen(70));
      assertThat(verdict(rule, seen(70)).looked()).isEqualTo(1);
    }

    @Test
    void overtaken() {
      fails(rule, seen(40).release(45, 50, "C1").valid(65, "B1"));
    }

    @Test
    void withoutAPairNothingIsPassed() {
      assertThat(verdict(rule, new Scene().obtain(0, 10, "A1", fair)).status())
          .isEqualTo(Verdict.Status.NOT_DECIDED);
    }

    @Test
    void ofOtherLocksNothingIsAsked() {
      passes(rule, new Scene().obtain(0, 10, "A1"));
    }
  }

  @Nested
  class OneHolderRule {
    private final Check rule = new OneHolder();

    @Test
    void oneAfterTheOther() {
      passes(
          rule,
          new Scene().obtain(0, 10, "A1").valid(20, "A1").obtain(15, 21, "B1").valid(30, "B1"));
    }

    @Test
    void twoAtOnce() {
      Scene scene =
          new Scene().obtain(0, 10, "A1").valid(25, "A1").obtain(15, 21, "B1").valid(30, "B1");
      fails(rule, scene);
      assertThat(verdict(rule, scene).toString())
          .contains("A1 and B1", "for 4 ms", "21.000 ms  B/tB")
          .contains("VIOLATED");
    }

    @Test
    void aBeliefThatIsNotSeenProvesNothing() {
      passes(
          rule,
          new Scene()
              .obtain(0, 10, "A1")
              .obtain(15, 21, "B1")
              .valid(30, "B1")
              .release(40, 50, "A1", FAIL));
    }

    @Test
    void aThirdIsComparedWithTheOldestStillPresent() {
      fails(
          rule,
          new Scene()
              .obtain(0, 10, "A1", Detail.PRIMITIVE, "read")
              .valid(90, "A1")
              .obtain(11, 12, "B1", Detail.PRIMITIVE, "read")
              .valid(20, "B1")
              .obtain(30, 40, "C1", Detail.PRIMITIVE, "write")
              .valid(50, "C1"));
    }

    @Test
    void readersTogether() {
      passes(
          rule,
          new Scene()
              .obtain(0, 10, "A1", Detail.PRIMITIVE, "read")
              .valid(90, "A1")
              .obtain(11, 12, "B1", Detail.PRIMITIVE, "read")
              .valid(90, "B1"));
    }

    @Test
    void permits() {
      String[] two = {Detail.PRIMITIVE, "semaphore", Detail.PERMITS, "2", Detail.LIMIT, "4"};
      Scene scene =
          new Scene()
              .obtain(0, 10, "A1", two)
              .valid(90, "A1")
              .obtain(11, 12, "B1", two)
              .valid(90, "B1");
      passes(rule, scene);
      fails(rule, scene.obtain(13, 14, "C1", two).valid(15, "C1"));
    }

    @Test
    void afterADeletionByHand() {
      Scene scene =
          new Scene()
              .obtain(0, 10, "A1")
              .fault(12, 13, "", Detail.FORGET, Detail.EXCLUSION)
              .obtain(15, 21, "B1")
              .valid(25, "A1")
              .valid(30, "B1");
      passes(rule, scene);
      fails(rule, scene.obtain(26, 27, "C1").valid(30, "C1"));
    }

    @Test
    void aThreadWhoseProcessHasNotLearnedOfADeletion() {
      Scene scene =
          new Scene()
              .obtain(0, 10, "A1")
              .release(11, 12, "A1")
              .fault(13, 14, "", Detail.FORGET, Detail.EXCLUSION)
              .obtain(15, 16, "A2")
              .obtain(17, 18, "B1")
              .valid(25, "A2")
              .valid(30, "B1");
      passes(rule, scene);
      fails(rule, scene.obtain(19, 20, "C1").valid(26, "C1"));
    }
  }

  @Nested
  class TokensGrowRule {
    private final Check rule = new TokensGrow();

    @Test
    void largerForTheNext() {
      passes(rule, new Scene().obtain(0, 10, "A1", TOKEN_1).obtain(11, 20, "B1", TOKEN_2));
    }

    @Test
    void smallerForTheNext() {
      fails(rule, new Scene().obtain(0, 10, "A1", TOKEN_2).obtain(11, 20, "B1", TOKEN_1));
    }

    @Test
    void smallerEvenIfEverythingWasDeleted() {
      fails(
          rule,
          new Scene()
              .obtain(0, 10, "A1", TOKEN_2)
              .fault(11, 12, "", Detail.FORGET, Detail.EXCLUSION)
              .obtain(13, 20, "B1", TOKEN_1));
    }

    @Test
    void smallerForAThreadWhoseProcessHasNotLearnedOfTheDeletion() {
      Scene scene =
          new Scene()
              .event(0, "A", 0, NOTE, Action.CLIENT_START, Detail.LEASE_MILLIS, "1000")
              .obtain(0, 5, "B1", Detail.TOKEN, "1")
              .release(9, 10, "B1")
              .fault(11, 12, "", Detail.FORGET, Detail.EXCLUSION)
              .obtain(13, 20, "A1", Detail.TOKEN, "4")
              .obtain(500, 501, "B2", Detail.TOKEN, "2");
      passes(rule, scene);
      fails(rule, scene.obtain(1100, 1101, "B3", Detail.TOKEN, "3"));
    }

    private Scene handedOverAfterADeletion(long asked) {
      return new Scene()
          .event(0, "A", 0, NOTE, Action.CLIENT_START, Detail.LEASE_MILLIS, "30000")
          .obtain(0, 5, "B1", Detail.TOKEN, "1")
          .fault(11, 12, "", Detail.FORGET, Detail.EXCLUSION)
          .obtain(13, 20, "A1", Detail.TOKEN, "4")
          .release(asked - 2, asked - 1, "B1")
          .obtain(asked, asked + 1, "B2", Detail.TOKEN, "2");
    }

    @Test
    void aStaleChainMayGoOnForASecondHoweverLongTheLeaseIs() {
      passes(rule, handedOverAfterADeletion(1000));
      fails(rule, handedOverAfterADeletion(1050));
    }

    @Test
    void noOrderIsKnownOfTwoThatWereAskedForAtOnce() {
      passes(rule, new Scene().obtain(0, 10, "A1", TOKEN_2).obtain(9, 20, "B1", TOKEN_1));
    }

    @Test
    void theSameTwice() {
      fails(rule, new Scene().obtain(0, 10, "A1", TOKEN_2).obtain(9, 20, "B1", TOKEN_2));
    }

    @Test
    void readersHaveNoOrderButAWriterAfterThemHas() {
      Scene scene =
          new Scene()
              .obtain(0, 10, "A1", Detail.PRIMITIVE, "read", Detail.TOKEN, "5")
              .obtain(11, 20, "B1", Detail.PRIMITIVE, "read", Detail.TOKEN, "4");
      passes(rule, scene);
      fails(rule, scene.obtain(21, 30, "C1", Detail.PRIMITIVE, "write", Detail.TOKEN, "3"));
    }
  }

  @Nested
  class LossIsToldRule {
    private final Check rule = new LossIsTold();

    private Scene lost() {
      return new Scene()
          .obtain(0, 10, "A1", TOKEN_1)
          .obtain(20, 500, "B1", TOKEN_2)
          .release(2000, 2001, "A1", FAIL)
          .end(5000);
    }

    @Test
    void beforeTheNextHasIt() {
      passes(rule, lost().note(490, "A1", Action.LOST));
    }

    @Test
    void aLittleAfterwards() {
      passes(rule, lost().note(590, "A1", Action.LOST));
    }

    @Test
    void longAfterwards() {
      fails(rule, lost().note(700, "A1", Action.LOST));
    }

    @Test
    void never() {
      fails(rule, lost());
    }

    @Test
    void aProcessThatStandsStillHearsNothing() {
      passes(rule, lost().fault(300, 700, "A", Detail.PAUSE, "").note(701, "A1", Action.LOST));
    }

    @Test
    void aDeadOneNeither() {
      passes(rule, lost().fault(300, 301, "A", Detail.KILL, ""));
    }

    @Test
    void validAfterTheSignal() {
      fails(rule, lost().note(480, "A1", Action.LOST).valid(485, "A1"));
    }

    @Test
    void oneWhoGivesItBackNeedNotBeTold() {
      passes(
          rule,
          new Scene()
              .obtain(0, 10, "A1", TOKEN_1)
              .release(20, 30, "A1")
              .obtain(20, 31, "B1", TOKEN_2)
              .end(5000));
    }
  }

  @Nested
  class HoldersLearnRule {
    private final Check rule = new HoldersLearn();

    private Scene deleted() {
      return new Scene()
          .obtain(0, 10, "A1", TOKEN_1)
          .fault(20, 21, "", Detail.FORGET, Detail.EXCLUSION)
          .obtain(30, 40, "B1", TOKEN_2)
          .end(5000);
    }

    @Test
    void withinTheLease() {
      passes(rule, deleted().valid(900, "A1").note(1000, "A1", Action.LOST));
    }

    @Test
    void neverToldOfIt() {
      fails(rule, deleted().valid(900, "A1"));
    }

    @Test
    void believesForTooLong() {
      fails(rule, deleted().valid(2000, "A1").release(2001, 2002, "A1", FAIL));
    }

    @Test
    void believesForTooLongAlthoughNobodyElseWantsIt() {
      fails(
          rule,
          new Scene()
              .obtain(0, 10, "A1", TOKEN_1)
              .fault(20, 21, "", Detail.FORGET, Detail.EXCLUSION)
              .valid(1030, "A1")
              .release(1031, 1032, "A1")
              .end(5000));
    }

    @Test
    void aClockThatJumpedTakesNothingAwayThatNobodyElseWants() {
      passes(
          rule,
          new Scene()
              .obtain(0, 10, "A1", TOKEN_1)
              .fault(20, 21, "", Detail.CLOCK, Detail.EXCLUSION)
              .valid(3000, "A1")
              .end(5000));
    }

    @Test
    void toldByItsRelease() {
      passes(rule, deleted().valid(500, "A1").release(600, 601, "A1", FAIL));
    }

    @Test
    void takenBackWhereThatIsAllowed() {
      Scene scene =
          new Scene()
              .obtain(0, 10, "A1", TOKEN_1)
              .fault(20, 21, "", Detail.FORGET, Detail.EXCLUSION)
              .valid(3000, "A1")
              .end(5000);
      fails(rule, scene);
      assertThat(rule.check(scene.index(), SETTINGS.resuming()).passed()).isTrue();
    }
  }

  @Nested
  class StaleChainsEndRule {
    private final Check rule = new StaleChainsEnd();
    private final CheckSettings quick =
        CheckSettings.of(Duration.ofSeconds(30)).answers(Duration.ofMillis(10));

    /** B2 follows B1 after the lock was deleted and granted to A. */
    private Scene handedOn(long seenValid) {
      return new Scene()
          .event(0, "A", 0, NOTE, Action.CLIENT_START, Detail.LEASE_MILLIS, "30000")
          .obtain(0, 5, "B1", Detail.TOKEN, "1")
          .fault(11, 12, "", Detail.FORGET, Detail.EXCLUSION)
          .obtain(13, 20, "A1", Detail.TOKEN, "4")
          .release(800, 801, "B1")
          .obtain(802, 803, "B2", Detail.TOKEN, "2")
          .valid(seenValid, "B2")
          .end(5000);
    }

    private boolean passed(Scene scene) {
      return rule.check(scene.index(), quick).passed();
    }

    @Test
    void itsEndIsHalfASecondAndAnAnswerAway() {
      assertThat(passed(handedOn(803 + 525))).isTrue();
      assertThat(passed(handedOn(803 + 526))).isFalse();
      for (Check other : List.of(new HoldersLearn(), new TokensGrow())) {
        assertThat(other.check(handedOn(803 + 526).index(), quick).passed()).isTrue();
      }
    }

    @Test
    void aStoreThatCannotAnswerDeniesNothing() {
      assertThat(passed(handedOn(2000).fault(1000, 1010, "B", "", ""))).isTrue();
      assertThat(passed(handedOn(2000).fault(1900, 1910, "B", "", ""))).isFalse();
    }

    @Test
    void whoeverIsNotHandedOnIsAskedAboutLater() {
      Scene scene =
          new Scene()
              .event(0, "A", 0, NOTE, Action.CLIENT_START, Detail.LEASE_MILLIS, "30000")
              .obtain(0, 5, "B1", Detail.TOKEN, "1")
              .fault(11, 12, "", Detail.FORGET, Detail.EXCLUSION)
              .obtain(13, 20, "A1", Detail.TOKEN, "4")
              .valid(4000, "B1")
              .end(5000);
      assertThat(passed(scene)).isTrue();
    }
  }

  @Nested
  class ObtainableAgainRule {
    private final Check rule = new ObtainableAgain();

    private Scene killed() {
      return new Scene().obtain(0, 10, "A1").valid(90, "A1").fault(100, 101, "A", Detail.KILL, "");
    }

    @Test
    void withinTheLease() {
      passes(rule, killed().obtain(50, 1100, "B1").end(5000));
    }

    @Test
    void tooLate() {
      fails(rule, killed().obtain(50, 1300, "B1").end(5000));
    }

    @Test
    void never() {
      fails(rule, killed().call(1100, 1150, "B", Action.ACQUIRE, FAIL).end(5000));
    }

    @Test
    void notWhileALivingProcessHasIt() {
      passes(
          rule,
          killed()
              .obtain(95, 98, "C1", Detail.PRIMITIVE, "semaphore")
              .release(3000, 3001, "C1")
              .obtain(99, 3500, "D1", Detail.PRIMITIVE, "semaphore")
              .end(9000));
    }

    @Test
    void aHistoryThatEndsTooEarlyDecidesNothing() {
      Verdict verdict = verdict(rule, killed().pending(50, "B", Action.ACQUIRE).end(1000));
      assertThat(verdict.status()).isEqualTo(Verdict.Status.NOT_DECIDED);
      assertThat(verdict.passed()).isFalse();
    }
  }

  @Nested
  class NobodyForgottenRule {
    private final Check rule = new NobodyForgotten();

    @Test
    void everyCallEnds() {
      passes(rule, new Scene().obtain(0, 10, "A1").release(11, 12, "A1").end(5000));
    }

    @Test
    void oneDoesNot() {
      fails(rule, new Scene().pending(0, "A", Action.AWAIT).end(5000));
    }

    @Test
    void thatOfADeadProcessNeedNot() {
      passes(
          rule,
          new Scene().pending(0, "A", Action.ACQUIRE).fault(50, 51, "A", Detail.KILL, "").end(60));
    }

    @Test
    void theDeadDoNotWait() {
      passes(
          rule,
          new Scene()
              .pending(0, "A", Action.ACQUIRE)
              .fault(50, 51, "A", Detail.KILL, "")
              .end(9000));
    }

    @Test
    void nobodyHasItAndTwoWait() {
      fails(
          rule,
          new Scene()
              .obtain(0, 10, "A1")
              .release(20, 30, "A1")
              .obtain(15, 500, "B1")
              .release(501, 502, "B1")
              .obtain(16, 503, "C1")
              .release(504, 505, "C1"));
    }

    @Test
    void oneWhoWaitsForSeveralMayHaveIt() {
      passes(
          rule,
          new Scene()
              .obtain(0, 10, "A1")
              .release(20, 30, "A1")
              .obtain(15, 400, "C1", Detail.PRIMITIVE, "multi")
              .release(401, 402, "C1")
              .obtain(16, 403, "B1")
              .release(404, 405, "B1"));
    }

    @Test
    void aShortGapIsAllowed() {
      passes(
          rule,
          new Scene()
              .obtain(0, 10, "A1")
              .release(20, 30, "A1")
              .obtain(15, 120, "B1")
              .release(121, 122, "B1"));
    }

    @Test
    void aDeadProcessDoesNotWait() {
      passes(
          rule,
          new Scene()
              .pending(0, "A", Action.ACQUIRE)
              .fault(50, 51, "A", Detail.KILL, "")
              .end(9000));
    }

    @Test
    void whatADeadProcessHeldMayStayForALease() {
      passes(
          rule,
          new Scene()
              .obtain(0, 10, "A1")
              .fault(20, 21, "A", Detail.KILL, "")
              .obtain(15, 1100, "B1")
              .release(1101, 1102, "B1"));
    }

    @Test
    void whatIsNotKnownMayStayForALease() {
      passes(
          rule,
          new Scene()
              .call(0, 10, "A", Action.ACQUIRE, UNKNOWN)
              .obtain(15, 1100, "B1")
              .release(1101, 1102, "B1"));
    }
  }

  @Nested
  class FencedRegisterRule {
    private final Check rule = new FencedRegister();

    private Scene write(
        Scene scene, long from, long to, String token, String value, String previous) {
      return scene.call(
          from,
          to,
          "A",
          Action.FENCED_WRITE,
          OK,
          Detail.TOKEN,
          token,
          Detail.VALUE,
          value,
          Detail.PREVIOUS,
          previous);
    }

    private Scene two() {
      return write(write(new Scene(), 0, 10, "5", "a", ""), 20, 30, "6", "b", "a");
    }

    private static Scene read(Scene scene, long at, String token, String value) {
      return scene.call(
          at,
          at + 1,
          "R",
          Action.READ_REGISTER,
          OK,
          Detail.REGISTER,
          "fenced",
          Detail.TOKEN,
          token,
          Detail.VALUE,
          value);
    }

    @Test
    void goesForward() {
      passes(rule, read(two(), 40, "6", "b"));
    }

    @Test
    void acceptsAnOlderToken() {
      fails(rule, write(two(), 40, 50, "5", "c", "b"));
    }

    @Test
    void refusesAnOlderToken() {
      passes(
          rule,
          two().call(40, 50, "A", Action.FENCED_WRITE, FAIL, Detail.TOKEN, "5", Detail.VALUE, "c"));
    }

    @Test
    void isReadAsItWasLongAgo() {
      fails(rule, read(two(), 40, "5", "a"));
    }

    @Test
    void losesAWrite() {
      fails(rule, write(two(), 40, 50, "7", "c", "a"));
    }

    @Test
    void hasAValueOutOfNothing() {
      fails(rule, write(two(), 40, 50, "7", "c", "x"));
      fails(rule, read(two(), 40, "6", "x"));
      fails(rule, read(two(), 40, "7", "b"));
    }

    @Test
    void losesEverythingWhereThatWasDoneToIt() {
      Scene scene = two().fault(35, 36, "", "", Detail.REGISTERS);
      passes(rule, read(write(scene, 40, 50, "4", "c", ""), 60, "4", "c"));
    }
  }

  @Test
  void whatGoesWrongInThePlainRegisterIsTold() {
    Scene scene =
        new Scene()
            .call(0, 10, "A", Action.PLAIN_WRITE, OK, Detail.TOKEN, "6", Detail.BASIS, "x")
            .call(20, 30, "B", Action.PLAIN_WRITE, OK, Detail.TOKEN, "5", Detail.BASIS, "x");
    Verdict verdict = verdict(new PlainRegister(), scene);
    assertThat(verdict.passed()).isTrue();
    assertThat(verdict.note()).contains("1 went back", "1 lost update");
  }

  @Test
  void whatIsLeftIsAViolation() {
    Scene scene = new Scene().event(0, "A", 0, NOTE, Action.CLIENT_END);
    passes(new NothingLeft(), scene);
    fails(new NothingLeft(), scene.event(9, "A", 0, NOTE, Action.LEAK, Detail.WHAT, "key"));
  }

  @Test
  void whatTheWorkloadCallsABugIsAViolation() {
    Scene scene = new Scene().obtain(0, 10, "A1");
    passes(new NoBugs(), scene);
    fails(new NoBugs(), scene.call(20, 30, "A", Action.AWAIT, UNKNOWN, Detail.BUG, "oops"));
  }

  @Test
  void aSearchWithoutBudgetIsNotPassed() {
    Scene scene = new Scene().obtain(0, 10, "A1").release(11, 12, "A1");
    passes(new Linearizable(), scene);
    assertThat(new Linearizable().check(scene.index(), SETTINGS.budget(0)).status())
        .isEqualTo(Verdict.Status.NOT_DECIDED);
    fails(new Linearizable(), scene.obtain(5, 6, "B1").valid(13, "B1").valid(7, "A1"));
  }
}
