package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.testkit.engine.InterceptedStore.HeldCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A request that got no answer may be executed at any time later, and a message may arrive at any
 * time later. Neither may harm a later hold of the same process.
 */
@Isolated
@Timeout(600)
class LateCommandsTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration LONG_LEASE = Duration.ofMinutes(1);
  private static final Duration PAST_THE_SHORT_LEASE = Duration.ofSeconds(5);

  private final TwoProcesses processes = new TwoProcesses();
  private final DistributedLock lock = processes.here.getLock("k");
  private final DistributedLock shortLock =
      processes.here.getLock(
          LockConfig.builder().lockKey("k").leaseTime(Duration.ofMillis(1500)).build());
  private final DistributedLock elsewhere = processes.there.getLock("k");

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void aRenewalThatIsExecutedLateDoesNotShortenALaterHold() {
    HeldCall renewal = processes.store.holdNext("renew");
    Lease first = shortLock.acquire();
    processes.clock.advance(Duration.ofMillis(600));
    renewal.answer(List.of(new RenewResult.Unknown(noAnswer())));
    CompletableFuture<Lease> second = lock.waitUpTo(LONG).leaseFor(LONG_LEASE).acquireAsync();
    first.close();
    Lease held = second.join();

    renewal.execute();
    processes.clock.advance(PAST_THE_SHORT_LEASE);

    assertNobodyElseHas(held);
  }

  @Test
  void anAttemptThatIsExecutedLateDoesNotShortenALaterHold() {
    HeldCall attempt = processes.store.holdNext("acquire");
    CompletableFuture<Lease> asked = shortLock.acquireAsync();
    attempt.answer(new AcquireResult.Unknown(noAnswer()));
    processes.clock.advance(Duration.ofMillis(100)); // it asks again, and is answered
    Lease first = asked.join();
    CompletableFuture<Lease> second = lock.waitUpTo(LONG).leaseFor(LONG_LEASE).acquireAsync();
    first.close();
    Lease held = second.join();

    attempt.execute();
    processes.clock.advance(PAST_THE_SHORT_LEASE);

    assertNobodyElseHas(held);
  }

  @Test
  void anAttemptThatIsExecutedLateDoesNotTakeTheLockForOneWhoIsGone() {
    HeldCall attempt = processes.store.holdNext("acquire");
    CompletableFuture<Lease> asked = shortLock.acquireAsync();
    attempt.answer(new AcquireResult.Unknown(noAnswer()));
    processes.clock.advance(Duration.ofMillis(100));
    Lease first = asked.join();
    CompletableFuture<Lease> second = lock.waitUpTo(LONG).leaseFor(LONG_LEASE).acquireAsync();
    first.close();
    Lease held = second.join();

    attempt.execute(); // stands in the queue of the store now, though nobody waits
    held.close();

    assertFree();
  }

  @Test
  void aGrantThatOvertakesAnAttemptCountsWhenTheAttemptIsAnswered() {
    Lease theirs = elsewhere.acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    HeldCall attempt = processes.store.holdNext("acquire");
    processes.clock.advance(Duration.ofSeconds(2));
    assertThat(attempt.isCaught()).as("it looks once a second").isTrue();
    theirs.close(); // grants to the waiter, whose signal is faster than the answer
    assertThat(waiting).as("the store may yet take the attempt for a new request").isNotDone();

    attempt.letGo();
    waiting.join().close();

    assertFree();
  }

  @Test
  void aGrantThatIsSignalledLateDoesNotGiveALaterHoldASmallerToken() {
    HeldCall signal = processes.store.holdNext("granted");
    Lease theirs = elsewhere.acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    theirs.close();
    assertThat(signal.isCaught()).isTrue();
    processes.clock.advance(Duration.ofSeconds(2)); // it looks by itself, and finds that it holds
    Lease first = waiting.join();
    HeldCall attempt = processes.store.holdNext("acquire");
    CompletableFuture<Lease> second = lock.waitUpTo(LONG).leaseFor(LONG_LEASE).acquireAsync();
    first.close();
    assertThat(attempt.isCaught()).as("the next one wants another lease").isTrue();

    signal.execute();
    attempt.letGo();

    try (Lease held = second.join()) {
      assertThat(held.token()).isGreaterThan(first.token());
    }
    assertFree();
  }

  private void assertNobodyElseHas(Lease held) {
    Optional<Lease> stolen = elsewhere.tryAcquire();
    assertThat(stolen.isPresent() && held.isValid()).as("two holders").isFalse();
    assertThat(held.isValid()).as("the lease of a minute is not over").isTrue();
    held.close();
    assertFree();
  }

  private void assertFree() {
    assertThat(processes.memory.size()).as("held or waited for").isZero();
  }

  private static TimeoutException noAnswer() {
    return new TimeoutException("no answer");
  }
}
