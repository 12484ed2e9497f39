package io.holdfast.spi.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Holders;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceStateTest {
  private static final Resource LOCK = Resource.lock("k");
  private static final Resource PERMITS = new Resource(Resource.Kind.SEMAPHORE, "k");
  private static final Resource LATCH = new Resource(Resource.Kind.LATCH, "k");
  private static final ResourceStep.Rules RULES = new ResourceStep.Rules(1500, owner -> true);
  private static final long NOW = 1_700_000_000_000_000L;

  private final ClientIdentity client = new ClientIdentity("c", "host", 7, "app");
  private final Owner first = new Owner("c", "t1");
  private final Owner second = new Owner("c", "t2");
  private final Owner elsewhere = new Owner("d", "t2");

  private static ResourceStep step(ResourceState state, Resource resource, long now) {
    return new ResourceStep(state, resource, new ResourceStep.Moment(now, now, 0), RULES);
  }

  private static AcquireRequest request(Resource resource, Owner owner, Claim claim, String text) {
    return new AcquireRequest(resource, owner, claim, 30_000, text, true, 3000, text);
  }

  private static AcquireRequest waited(Owner owner, long micros) {
    return new AcquireRequest(LOCK, owner, Claim.EXCLUSIVE, 30_000, "t", true, 3000, "", micros);
  }

  @Test
  void whoHasWaitedInItsProcessStandsBeforeThoseWhoCameLater() {
    ResourceState state = new ResourceState();
    Owner third = new Owner("e", "t3");
    step(state, LOCK, NOW).acquire(waited(first, 0), client);
    step(state, LOCK, NOW + 10).acquire(waited(second, 0), client);
    step(state, LOCK, NOW + 30).acquire(waited(elsewhere, 25), client);
    step(state, LOCK, NOW + 40).acquire(waited(third, 0), client);
    step(state, LOCK, NOW + 50).acquire(waited(second, 45), client); // known already
    assertThat(reread(state).snapshot(NOW + 50).waiters())
        .extracting(LockSnapshot.Waiter::owner)
        .containsExactly(elsewhere, second, third);
    ResourceStep release = step(state, LOCK, NOW + 60);
    release.release(first);
    assertThat(release.signals()).extracting(StateSignal::owner).containsExactly(elsewhere);
  }

  @Test
  void aClockThatIsSetBackDoesNotChangeTheOrderOfThoseWhoComeOneByOne() {
    ResourceState state = new ResourceState();
    step(state, LOCK, NOW).acquire(waited(first, 0), client);
    step(state, LOCK, NOW + 10).acquire(waited(second, 0), client);
    step(state, LOCK, NOW - 1000).acquire(waited(elsewhere, 0), client);
    assertThat(state.snapshot(NOW).waiters())
        .extracting(LockSnapshot.Waiter::owner)
        .containsExactly(second, elsewhere);
  }

  private static AcquireResult ask(ResourceState state, Owner owner, long now) {
    ClientIdentity client = new ClientIdentity(owner.clientId(), "host", 7, "app");
    return step(state, LOCK, now).acquire(waited(owner, 0), client);
  }

  private static Owner waiter(int number) {
    return new Owner("w" + number, "t");
  }

  /** A holder and four waiters, of which the last asks again and again. */
  private ResourceState withFourWaiters() {
    ResourceState state = new ResourceState();
    ask(state, first, NOW);
    for (int i = 0; i < 4; i++) {
      ask(state, waiter(i), NOW + i);
    }
    step(state, LOCK, NOW + 100).release(first);
    assertThat(state.owners()).containsExactly(waiter(0));
    assertThat(ask(state, waiter(3), NOW + 1_000_000)).isInstanceOf(AcquireResult.Busy.class);
    return reread(state);
  }

  @Test
  void severalWaitersThatDiedCostOneClaimWindow() {
    ResourceState state = withFourWaiters();
    assertThat(ask(state, waiter(3), NOW + 1_500_200)).isInstanceOf(AcquireResult.Granted.class);
    assertThat(state.hasWaiters()).isFalse();
  }

  @Test
  void aWaiterThatHasAskedSinceKeepsItsTurn() {
    ResourceState state = withFourWaiters();
    ask(state, waiter(1), NOW + 1_100_000);
    state = reread(state);
    assertThat(ask(state, waiter(3), NOW + 1_500_200)).isInstanceOf(AcquireResult.Busy.class);
    assertThat(state.owners()).containsExactly(waiter(1));
    assertThat(state.isWaiter(waiter(2))).as("behind one that has asked").isTrue();
  }

  /** It was dropped with those that died, since it had not asked for a while. */
  @Test
  void aLivingWaiterThatWasDroppedHasItsPlaceAgainWhenItAsks() {
    ResourceState state = withFourWaiters();
    assertThat(ask(state, waiter(3), NOW + 1_500_200)).isInstanceOf(AcquireResult.Granted.class);
    assertThat(state.isWaiter(waiter(2))).as("dropped").isFalse();
    ask(state, elsewhere, NOW + 1_500_300);
    askAgain(state, waiter(2), NOW + 1_500_400, 1_500_398);
    askAgain(state, waiter(1), NOW + 1_500_500, 1_500_499);
    assertThat(reread(state).snapshot(NOW + 1_500_500).waiters())
        .extracting(LockSnapshot.Waiter::owner)
        .containsExactly(waiter(1), waiter(2), elsewhere);
  }

  @Test
  void aWaiterThatIsKnownStaysWhereItIsHoweverOftenItAsks() {
    ResourceState state = withFourWaiters();
    for (int i = 0; i < 3; i++) {
      askAgain(state, waiter(3), NOW + 1_000_100 + i, 60_000_000);
    }
    assertThat(state.snapshot(NOW + 1_000_200).waiters())
        .extracting(LockSnapshot.Waiter::owner)
        .containsExactly(waiter(1), waiter(2), waiter(3));
  }

  /** Threads of a process wait in it before one of them asks for all. */
  @Test
  void theLongerOfBothTimesCounts() {
    ResourceState state = new ResourceState();
    ask(state, first, NOW);
    ask(state, second, NOW + 10);
    step(state, LOCK, NOW + 20).acquire(waited(elsewhere, 15, 5), client);
    assertThat(state.snapshot(NOW + 20).waiters())
        .extracting(LockSnapshot.Waiter::owner)
        .containsExactly(elsewhere, second);
  }

  private static void askAgain(ResourceState state, Owner owner, long now, long queuedMicros) {
    ClientIdentity client = new ClientIdentity(owner.clientId(), "host", 7, "app");
    step(state, LOCK, now).acquire(waited(owner, 0, queuedMicros), client);
  }

  private static AcquireRequest waited(Owner owner, long micros, long queuedMicros) {
    return new AcquireRequest(
        LOCK, owner, Claim.EXCLUSIVE, 30_000, "t", true, 3000, "", micros, queuedMicros);
  }

  /** One that asks every ten seconds is believed alive for thirty. */
  @Test
  void aWaiterThatAsksRarelyIsNotSilentBeforeItsTime() {
    ResourceState state = withFourWaiters();
    Owner rare = new Owner("r", "t");
    AcquireRequest request =
        new AcquireRequest(LOCK, rare, Claim.EXCLUSIVE, 30_000, "t", true, 30_000, "", 3_000_000);
    step(state, LOCK, NOW + 50).acquire(request, client); // stands in front of the others
    assertThat(ask(state, waiter(3), NOW + 1_500_200)).isInstanceOf(AcquireResult.Busy.class);
    assertThat(state.owners()).containsExactly(rare);
  }

  @Test
  void nobodyIsDroppedWhenAHolderThatWasHeardOfDies() {
    ResourceState state = new ResourceState();
    ask(state, first, NOW);
    for (int i = 0; i < 3; i++) {
      ask(state, waiter(i), NOW + 29_000_000 + i);
    }
    ask(state, waiter(2), NOW + 30_000_001);
    assertThat(state.owners()).containsExactly(waiter(0));
    assertThat(state.isWaiter(waiter(1))).isTrue();
  }

  @Test
  void whatAnOlderVersionWroteCanBeRead() {
    ResourceState state = withFourWaiters();
    String older =
        state
            .text()
            .replaceAll("(;H(,[^,;]*){10}),\\d+", "$1")
            .replaceAll("(;W(,[^,;]*){13}),\\d+", "$1");
    assertThat(older).isNotEqualTo(state.text());
    ResourceState read = ResourceState.parse(older, state.lastTick());
    assertThat(read.owners()).isEqualTo(state.owners());
    assertThat(read.snapshot(NOW)).isEqualTo(state.snapshot(NOW));
    assertThat(ask(read, waiter(3), NOW + 1_500_200)).isInstanceOf(AcquireResult.Busy.class);
  }

  private static ResourceState reread(ResourceState state) {
    return ResourceState.parse(state.text(), state.lastTick());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "",
        "a,b;c%d,H,W",
        "\u0000\n\r\t\"'\\",
        "\ud83d\ude00 \u4e2d\u6587",
        "half \ud83d pair \ude00",
        "'; DROP TABLE holdfast_lock; --"
      })
  void theTextIsPlainAsciiAndSaysEverythingWhateverTheNames(String text) {
    ClientIdentity strange = new ClientIdentity("c", "h" + text, 7, "a" + text);
    ResourceState state = new ResourceState();
    ResourceStep step = step(state, PERMITS, NOW);
    step.acquire(request(PERMITS, first, Claim.permits(2, 3), text), strange);
    step.acquire(request(PERMITS, second, Claim.permits(2, 3), text), strange);
    assertThat(state.text()).matches("[ -~]+").doesNotContain("'", "\"", "\\");
    ResourceState again = reread(state);
    assertThat(again.text()).isEqualTo(state.text());
    LockSnapshot snapshot = again.snapshot(NOW);
    assertThat(snapshot).isEqualTo(state.snapshot(NOW));
    assertThat(snapshot.holders().get(0).thread()).isEqualTo(text);
    assertThat(snapshot.holders().get(0).client()).isEqualTo(strange);
    assertThat(snapshot.waiters().get(0).note()).isEqualTo(text);
    assertThat(snapshot.limit()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "2;lock;1;1;0",
        "1;lock",
        "1;door;1;1;0",
        "1;lock;1;1;0;X,c,t",
        "1;lock;1;1;0;H,c"
      })
  void aTextOfSomebodyElseIsRefused(String text) {
    assertThatThrownBy(() -> ResourceState.parse(text, 0)).isInstanceOf(BackendException.class);
  }

  @Test
  void aReleaseMakesTheNextWaiterTheHolderForAsLongAsTheClaimWindow() {
    ResourceState state = new ResourceState();
    step(state, LOCK, NOW).acquire(request(LOCK, first, Claim.EXCLUSIVE, "a"), client);
    ResourceStep asked = step(reread(state), LOCK, NOW + 1);
    assertThat(asked.acquire(request(LOCK, elsewhere, Claim.EXCLUSIVE, "b"), client))
        .isEqualTo(new AcquireResult.Busy(30_000));
    assertThat(asked.signals()).containsExactly(new StateSignal.Contended(first));
    step(state, LOCK, NOW + 1).acquire(request(LOCK, elsewhere, Claim.EXCLUSIVE, "b"), client);
    ResourceState later = reread(state);
    ResourceStep release = step(later, LOCK, NOW + 2);
    assertThat(release.release(first)).isInstanceOf(ReleaseResult.Released.class);
    assertThat(release.signals())
        .containsExactly(
            new StateSignal.Granted(elsewhere, TokenBlock.ofTick(NOW + 3), 1500, false));
    assertThat(later.remainingMillis(elsewhere, NOW + 2)).isEqualTo(1500);
  }

  @Test
  void aHolderIsToldOfThoseWhoWaitInOtherClientsAndThatThereIsLess() {
    Owner third = new Owner("c", "t3");
    Owner fourth = new Owner("c", "t4");
    ResourceState state = new ResourceState();
    for (Owner owner : List.of(first, third)) {
      step(state, PERMITS, NOW).acquire(request(PERMITS, owner, Claim.permits(1, 2), "a"), client);
    }
    ResourceStep own = step(state, PERMITS, NOW);
    own.acquire(request(PERMITS, fourth, Claim.permits(1, 2), "a"), client);
    assertThat(own.signals()).as("its own client knows").isEmpty();
    ResourceStep others = step(state, PERMITS, NOW);
    others.acquire(request(PERMITS, elsewhere, Claim.permits(1, 2), "b"), client);
    assertThat(others.signals())
        .containsExactly(new StateSignal.Contended(first), new StateSignal.Contended(third));
    step(state, PERMITS, NOW).release(elsewhere);
    ResourceStep less = step(state, PERMITS, NOW);
    less.setLimit(2, 1);
    assertThat(less.signals())
        .containsExactly(new StateSignal.Contended(first), new StateSignal.Contended(third));
  }

  @Test
  void whoAsksAtTheMomentOfItsTurnIsAnsweredAndNotToldAsWell() {
    ResourceState state = new ResourceState();
    step(state, LOCK, NOW).acquire(request(LOCK, first, Claim.EXCLUSIVE, "a"), client);
    step(state, LOCK, NOW).acquire(request(LOCK, second, Claim.EXCLUSIVE, "b"), client);
    ResourceStep afterTheLease = step(state, LOCK, NOW + 31_000_000);
    AcquireRequest again = request(LOCK, second, Claim.EXCLUSIVE, "b");
    // its belief in the waiter has ended too, so a fresh one is needed to be served at the start
    assertThat(afterTheLease.acquire(again, client)).isInstanceOf(AcquireResult.Granted.class);
    assertThat(afterTheLease.signals()).isEmpty();
    ResourceState other = new ResourceState();
    step(other, LOCK, NOW).acquire(request(LOCK, first, Claim.EXCLUSIVE, "a"), client);
    step(other, LOCK, NOW + 29_000_000).acquire(again, client);
    ResourceStep served = step(other, LOCK, NOW + 30_000_000);
    assertThat(served.signals()).hasSize(1);
    assertThat(served.acquire(again, client)).isInstanceOf(AcquireResult.Granted.class);
    assertThat(served.signals()).isEmpty();
    assertThat(other.remainingMillis(second, NOW + 30_000_000)).isEqualTo(30_000);
  }

  @Test
  void whatWasForcedOpenCannotBeResumedAndWhatVanishedCan() {
    ResourceState state = new ResourceState();
    AcquireResult.Granted granted =
        (AcquireResult.Granted)
            step(state, LOCK, NOW).acquire(request(LOCK, first, Claim.EXCLUSIVE, "a"), client);
    RenewRequest renewal =
        new RenewRequest(
            LOCK,
            first,
            Claim.EXCLUSIVE,
            30_000,
            new RenewRequest.Resumption(granted.tokens(), "a"));
    state.removeHolders();
    assertThat(step(state, LOCK, NOW + 1).renew(renewal, client))
        .isInstanceOf(RenewResult.Resumed.class);
    assertThat(state.tokensOf(first)).isEqualTo(granted.tokens());
    assertThat(step(state, LOCK, NOW + 2).force(Holders.ALL)).isTrue();
    assertThat(step(state, LOCK, NOW + 3).renew(renewal, client))
        .isInstanceOf(RenewResult.Lost.class);
    assertThat(step(new ResourceState(), LOCK, NOW).renew(renewal, client))
        .as("a store that remembers nothing")
        .isInstanceOf(RenewResult.Lost.class);
  }

  @Test
  void ticksGrowHoweverManyThereAreInAMicrosecondAndWhateverTheClockDoes() {
    ResourceState state = new ResourceState();
    long last = 0;
    for (long now : List.of(NOW, NOW, NOW - 1_000_000, NOW + 5)) {
      ResourceStep step = step(state, LOCK, now);
      step.force(Holders.ALL);
      step.acquire(request(LOCK, first, Claim.EXCLUSIVE, "a"), client);
      assertThat(state.lastTick()).isGreaterThan(last);
      last = state.lastTick();
    }
    ResourceStep late =
        new ResourceStep(
            new ResourceState(), LOCK, new ResourceStep.Moment(NOW, NOW, NOW + 77), RULES);
    late.acquire(request(LOCK, first, Claim.EXCLUSIVE, "a"), client);
    assertThat(late.release(first)).isInstanceOf(ReleaseResult.Released.class);
  }

  @Test
  void aKeyIsFreeForAnotherUseWhenItsHoldersAndWaitersHaveDied() {
    ResourceState state = new ResourceState();
    step(state, LOCK, NOW).acquire(request(LOCK, first, Claim.EXCLUSIVE, "a"), client);
    step(state, LOCK, NOW).acquire(request(LOCK, second, Claim.EXCLUSIVE, "b"), client);
    assertThatThrownBy(() -> step(state, PERMITS, NOW + 1)).isInstanceOf(BackendException.class);
    assertThat(state.obsoleteFrom(NOW)).isEqualTo(NOW + 30_000_000);
    assertThat(step(state, PERMITS, NOW + 30_000_000).isFree()).isTrue();
    assertThat(state.text()).isEmpty();
    assertThat(state.kind()).isNull();
  }

  @Test
  void whoPassesAnOpenLatchLeavesNothingBehind() {
    ResourceState state = new ResourceState();
    AcquireRequest pass = request(LATCH, first, Claim.PASS, "a");
    assertThat(step(state, LATCH, NOW).acquire(pass, client))
        .isInstanceOf(AcquireResult.Granted.class);
    assertThat(state.text()).isEmpty();
    assertThat(state.lastTick()).isZero();
    step(state, LATCH, NOW).trySetCount(1);
    assertThat(step(state, LATCH, NOW).acquire(pass, client))
        .isInstanceOf(AcquireResult.Busy.class);
    ResourceState counted = reread(state);
    ResourceStep down = step(counted, LATCH, NOW + 1);
    assertThat(down.countDown()).isZero();
    assertThat(down.signals()).containsExactly(new StateSignal.Changed(first));
    step(counted, LATCH, NOW + 1).trySetCount(5);
    assertThat(step(reread(counted), LATCH, NOW + 2).acquire(pass, client))
        .as("it was let through before")
        .isInstanceOf(AcquireResult.Granted.class);
  }

  @Test
  void aLatchIsForcedOpenAndThoseWhoWaitedMayPassWhateverComesNext() {
    ResourceState state = new ResourceState();
    step(state, LATCH, NOW).trySetCount(7);
    AcquireRequest pass = request(LATCH, first, Claim.PASS, "a");
    step(state, LATCH, NOW).acquire(pass, client);

    ResourceStep force = step(state, LATCH, NOW + 1);
    assertThat(force.force(Holders.ALL)).isTrue();
    assertThat(force.signals()).containsExactly(new StateSignal.Changed(first));
    assertThat(step(state, LATCH, NOW + 1).count()).isZero();
    assertThat(step(state, LATCH, NOW + 1).force(Holders.ALL)).as("open by now").isFalse();
    step(state, LATCH, NOW + 1).trySetCount(2);
    assertThat(step(reread(state), LATCH, NOW + 2).acquire(pass, client))
        .isInstanceOf(AcquireResult.Granted.class);
    assertThat(
            step(reread(state), LATCH, NOW + 2)
                .acquire(request(LATCH, second, Claim.PASS, "b"), client))
        .isInstanceOf(AcquireResult.Busy.class);
  }

  @Test
  void whoWaitsAtALatchAndWasNotHeardOfForLongIsNotShown() {
    ResourceState state = new ResourceState();
    step(state, LATCH, NOW).trySetCount(7);
    step(state, LATCH, NOW).acquire(request(LATCH, first, Claim.PASS, "a"), client);
    step(state, LATCH, NOW).acquire(request(LATCH, second, Claim.PASS, "b"), client);
    long later = NOW + 2_000_000;
    step(state, LATCH, later).acquire(request(LATCH, first, Claim.PASS, "a"), client);

    LockSnapshot both = state.snapshot(later);
    assertThat(both.count()).isEqualTo(7);
    assertThat(both.waiters())
        .extracting(LockSnapshot.Waiter::owner)
        .containsExactly(first, second);
    assertThat(both.waiters().get(0).since()).isEqualTo(Instant.ofEpochSecond(NOW / 1_000_000));
    assertThat(state.snapshot(NOW + 3_500_000).waiters())
        .extracting(LockSnapshot.Waiter::owner)
        .containsExactly(first);
  }
}
