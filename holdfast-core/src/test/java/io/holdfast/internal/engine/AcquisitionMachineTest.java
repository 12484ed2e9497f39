package io.holdfast.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Fallback;
import io.holdfast.LockConfig;
import io.holdfast.LockConfigBuilder;
import io.holdfast.RetryPolicy;
import io.holdfast.internal.engine.AcquisitionMachine.Attempt;
import io.holdfast.internal.engine.AcquisitionMachine.Grant;
import io.holdfast.internal.engine.AcquisitionMachine.Next;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The decisions of an acquisition, event by event. Times are seconds of a clock that only moves
 * here.
 */
class AcquisitionMachineTest {
  private static final Owner OWNER = new Owner("client", "1-a");
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final long SECOND = 1_000_000_000;

  private final OutageTimer outage = new OutageTimer();
  private boolean storeAnswers = true;
  private long now;

  private AcquisitionMachine machine(LockConfigBuilder config, long waitNanos) {
    LockConfig settings = config.lockKey("k").build();
    AcquireSpec spec =
        new AcquireSpec(settings, Claim.EXCLUSIVE, true, LEASE, true, waitNanos, true);
    AcquisitionMachine.Tenures tenures =
        (owner, grant) ->
            new Tenure(
                new NoHolder(),
                owner,
                spec,
                grant.tokens(),
                grant.asOf(),
                grant.lease(),
                grant.contended(),
                grant.contenderSince());
    return new AcquisitionMachine(OWNER, spec, tenures, new FaultPolicy(spec, outage));
  }

  private AcquisitionMachine waiting() {
    return machine(LockConfig.builder(), AcquireSpec.FOREVER);
  }

  private static Attempt begun(AcquisitionMachine machine) {
    return Objects.requireNonNull(machine.beginAttempt(), "an attempt is to be made");
  }

  private Grant grantAsOf(long seconds) {
    return new Grant(new TokenBlock(7, 9), seconds * SECOND, LEASE, false, null);
  }

  private Next granted(AcquisitionMachine machine, Grant grant) {
    return machine.granted(grant, now * SECOND, 0, storeAnswers);
  }

  private Next busy(AcquisitionMachine machine, Attempt attempt) {
    return machine.busy(attempt, now * SECOND, -1);
  }

  private Next unknown(AcquisitionMachine machine) {
    return machine.unknown(new IllegalStateException("silent"), now * SECOND, 0, storeAnswers);
  }

  private Next pushed(AcquisitionMachine machine, Grant grant) {
    return machine.pushed(OWNER, grant, now * SECOND, 0, storeAnswers);
  }

  // ---- attempts and their answers

  @Test
  void aGrantOpensTheTenureAndNothingIsAttemptedAfterIt() {
    AcquisitionMachine machine = waiting();
    begun(machine);
    Next next = granted(machine, grantAsOf(0));
    assertThat(next)
        .isInstanceOfSatisfying(Next.Open.class, it -> assertThat(it.answerToCome()).isFalse());
    assertThat(machine.beginAttempt()).isNull();
    assertThat(machine.end()).isFalse();
  }

  @Test
  void onlyOneAttemptIsUnderWay() {
    AcquisitionMachine machine = waiting();
    begun(machine);
    assertThat(machine.beginAttempt()).isNull();
    assertThat(machine.signal()).isEqualTo(new Next.Attempt());
    assertThat(machine.beginAttempt()).isNull();
  }

  @Test
  void aBusyLockIsWaitedFor() {
    AcquisitionMachine machine = waiting();
    Attempt attempt = begun(machine);
    assertThat(attempt.enqueues()).isTrue();
    assertThat(busy(machine, attempt)).isInstanceOf(Next.Wait.class);
    assertThat(machine.hasWaited()).isTrue();
    assertThat(machine.isKnownToBeBusy()).isTrue();
    assertThat(machine.mayPlan()).isTrue();
  }

  @Test
  void theStoreBoundsTheWaitForABusyLock() {
    AcquisitionMachine machine = waiting();
    Next next = machine.busy(begun(machine), 0, 20);
    assertThat(next).isEqualTo(new Next.Wait(Duration.ofMillis(21).toNanos()));
  }

  @Test
  void aSignalDuringAnAttemptIsNotForgotten() {
    AcquisitionMachine machine = waiting();
    Attempt attempt = begun(machine);
    machine.signal();
    assertThat(busy(machine, attempt)).isEqualTo(new Next.Attempt());
  }

  @Test
  void aCallerThatDoesNotWaitGivesUpAndDoesNotEnqueue() {
    AcquisitionMachine machine = machine(LockConfig.builder(), 0);
    Attempt attempt = begun(machine);
    assertThat(attempt.enqueues()).isFalse();
    assertThat(busy(machine, attempt)).isEqualTo(new Next.GiveUp());
  }

  @Test
  void spinsComeFromTheSchedulerAndDoNotEnqueue() {
    RetryPolicy twoSpins = RetryPolicy.fixed(Duration.ofMillis(10)).spins(2);
    AcquisitionMachine machine =
        machine(LockConfig.builder().retryPolicy(twoSpins), AcquireSpec.FOREVER);
    for (int spin = 0; spin < 2; spin++) {
      Attempt attempt = begun(machine);
      assertThat(attempt.enqueues()).isFalse();
      assertThat(busy(machine, attempt)).isEqualTo(new Next.AttemptSoon());
    }
    Attempt third = begun(machine);
    assertThat(third.enqueues()).isTrue();
    assertThat(busy(machine, third)).isInstanceOf(Next.Wait.class);
  }

  @Test
  void anAnswerAfterTheEndOfItsLeaseIsNoAnswer() {
    AcquisitionMachine machine = waiting();
    begun(machine);
    now = 31;
    assertThat(granted(machine, grantAsOf(0))).isInstanceOf(Next.Wait.class);
    assertThat(machine.takeClearing()).isTrue();
  }

  @Test
  void aFaultThatNothingCuresEndsIt() {
    AcquisitionMachine machine = waiting();
    begun(machine);
    IllegalStateException fault = new IllegalStateException("no rights");
    assertThat(machine.failed(fault)).isEqualTo(new Next.Fail(fault));
    assertThat(machine.end()).isTrue();
    assertThat(machine.takeClearing()).isTrue();
  }

  // ---- a store that does not answer

  @ParameterizedTest
  @CsvSource({"1, 50", "2, 100", "3, 200", "5, 800", "6, 1000", "60, 1000"})
  void eachSilenceIsFollowedByALongerDelay(int faults, long millis) {
    AcquisitionMachine machine = waiting();
    Next next = new Next.Nothing();
    for (int i = 0; i < faults; i++) {
      begun(machine);
      next = unknown(machine);
    }
    assertThat(next).isEqualTo(new Next.Wait(Duration.ofMillis(millis).toNanos()));
    assertThat(machine.isKnownToBeBusy()).isFalse();
  }

  @Test
  void aStoreThatIsSilentForTheStoreTimeoutEndsIt() {
    LockConfigBuilder config = LockConfig.builder().storeTimeout(Duration.ofSeconds(5));
    AcquisitionMachine machine = machine(config, AcquireSpec.FOREVER);
    begun(machine);
    assertThat(unknown(machine)).isInstanceOf(Next.Wait.class);
    now = 5;
    begun(machine);
    assertThat(unknown(machine)).isEqualTo(new Next.FallBackOr(new Next.FailUnavailable()));
  }

  @Test
  void aFallbackIsAskedAtOnceWhereTheStoreIsKnownToBeSilent() {
    storeAnswers = false;
    AcquisitionMachine machine =
        machine(LockConfig.builder().fallback(Fallback.PROCESS_LOCAL), AcquireSpec.FOREVER);
    begun(machine);
    assertThat(unknown(machine))
        .isEqualTo(new Next.FallBackOr(new Next.Wait(Duration.ofMillis(50).toNanos())));
  }

  @Test
  void itFallsBackOnlyWhenNoAttemptOfItsOldOwnerIsUnderWay() {
    Owner local = new Owner("client", "local-1");
    AcquisitionMachine machine = waiting();
    begun(machine);
    now = 31;
    pushed(machine, grantAsOf(0)); // too late, while the attempt has no answer
    assertThat(machine.fallBackTo(local)).isFalse();
    unknown(machine);
    assertThat(machine.fallBackTo(local)).isTrue();
    assertThat(machine.owner()).isEqualTo(local);
  }

  // ---- signals of the store

  @Test
  void aPushedGrantOvertakesTheAnswerWhichIsStillAwaited() {
    AcquisitionMachine machine = waiting();
    Attempt attempt = begun(machine);
    assertThat(pushed(machine, grantAsOf(0)))
        .isInstanceOfSatisfying(Next.Open.class, it -> assertThat(it.answerToCome()).isTrue());
    assertThat(busy(machine, attempt)).isEqualTo(new Next.SettleGrant(false));
  }

  @Test
  void aPushedGrantThatOvertakesALaterAttemptIsOnlyAHint() {
    AcquisitionMachine machine = machine(LockConfig.builder(), SECOND);
    busy(machine, begun(machine));
    Attempt second = begun(machine);
    assertThat(pushed(machine, grantAsOf(0))).isEqualTo(new Next.Nothing());
    assertThat(machine.timeUp()).isEqualTo(new Next.Nothing());
    assertThat(busy(machine, second)).isEqualTo(new Next.Attempt());
    assertThat(busy(machine, begun(machine))).isEqualTo(new Next.GiveUp());
  }

  @Test
  void aLateAnswerToAnEndedTenureClearsTheStore() {
    AcquisitionMachine machine = waiting();
    begun(machine);
    Next.Open open = (Next.Open) pushed(machine, grantAsOf(0));
    open.tenure().end();
    assertThat(granted(machine, grantAsOf(0))).isEqualTo(new Next.SettleGrant(true));
    assertThat(machine.isUnusable()).isTrue();
  }

  @Test
  void aPushedGrantForAnotherOwnerIsIgnored() {
    AcquisitionMachine machine = waiting();
    busy(machine, begun(machine));
    Owner other = new Owner("client", "2-b");
    assertThat(machine.pushed(other, grantAsOf(0), 0, 0, true)).isEqualTo(new Next.Nothing());
    assertThat(machine.isWaiting()).isTrue();
  }

  @Test
  void aGrantThatComesAfterTheEndIsGivenBack() {
    AcquisitionMachine machine = waiting();
    busy(machine, begun(machine));
    assertThat(machine.end()).isTrue();
    machine.takeClearing();
    assertThat(pushed(machine, grantAsOf(0))).isEqualTo(new Next.Settle());
    assertThat(machine.takeClearing()).isTrue();
  }

  @Test
  void theFirstContenderCounts() {
    AcquisitionMachine machine = waiting();
    begun(machine);
    machine.contended(20L);
    machine.contended(10L);
    machine.contended(15L);
    Next.Open open = (Next.Open) granted(machine, grantAsOf(0));
    assertThat(open.tenure().isContended()).isTrue();
    assertThat(open.tenure().handoff().mayHandOnTo(9, SECOND / 2)).isTrue();
    assertThat(open.tenure().handoff().mayHandOnTo(10, SECOND / 2)).isFalse();
  }

  // ---- the caller's time

  @Test
  void theCallersTimeDoesNotCutOffTheFirstAnswer() {
    AcquisitionMachine machine = machine(LockConfig.builder(), SECOND);
    Attempt attempt = begun(machine);
    assertThat(machine.timeUp()).isEqualTo(new Next.Nothing());
    assertThat(busy(machine, attempt)).isEqualTo(new Next.GiveUp());
  }

  @Test
  void theCallersTimeEndsAWaitForABusyLock() {
    AcquisitionMachine machine = machine(LockConfig.builder(), SECOND);
    busy(machine, begun(machine));
    assertThat(machine.timeUp()).isEqualTo(new Next.GiveUp());
  }

  @Test
  void afterTheEndTheStoreIsClearedWhenTheLastAttemptIsAnswered() {
    AcquisitionMachine machine = waiting();
    List<Boolean> clearings = new ArrayList<>();
    Attempt attempt = begun(machine);
    assertThat(machine.end()).isTrue();
    assertThat(machine.takeClearing()).isNull();
    assertThat(busy(machine, attempt)).isEqualTo(new Next.Settle());
    clearings.add(machine.takeClearing());
    clearings.add(machine.takeClearing());
    assertThat(clearings).containsExactly(true, false);
  }

  /** Hears nothing. */
  private static final class NoHolder implements TenureListener {
    @Override
    public Resource resource() {
      return Resource.lock("k");
    }

    @Override
    public void tenureLost(Tenure lost) {}
  }
}
