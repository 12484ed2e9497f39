package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.Holding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A lock that is deleted in the store while threads of one process hand it over to each other: for
 * how long they can go on, and what it costs to find out.
 */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry")
class StaleChainTest {
  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final Duration TRUST = Duration.ofSeconds(1);
  private static final Duration A_MOMENT = Duration.ofMillis(1);

  private final ManualTime time = new ManualTime();
  private final MemoryStore memory = new MemoryStore(time);
  private final WatchedStore store = new WatchedStore(memory);
  private final List<Integer> checks = new CopyOnWriteArrayList<>();
  private final LockManager ours = manager(LockConfig.builder().build());
  private final LockManager theirs = manager(LockConfig.builder().build());

  private LockManager manager(LockConfig defaults) {
    LockConfig quiet = defaults.toBuilder().leaseTime(600).watchdogPeriod(300).build();
    return time.drive(LockManager.builder("memory:"))
        .engine(store)
        .defaults(quiet)
        .callbackExecutor(Runnable::run)
        .build();
  }

  @BeforeEach
  void countChecks() {
    store.answer("check", this::counted);
  }

  private @Nullable Object counted(WatchedStore.Call call) {
    checks.add(((List<?>) call.argument(0)).size());
    return call.proceed();
  }

  @AfterEach
  void close() {
    store.answerNormally("check");
    ours.close();
    theirs.close();
  }

  private static Lease now(CompletableFuture<Lease> coming) {
    assertThat(coming).as("granted at once").isCompleted();
    return coming.join();
  }

  /** Another hold of the same tenure. */
  private static Lease handOver(DistributedLock lock, Lease held) {
    CompletableFuture<Lease> next = lock.acquireAsync();
    held.close();
    return now(next);
  }

  // ---- the end of a chain

  @Test
  void aChainThatIsHandedOverAfterADeletionEndsAsLostAfterAnInterval() {
    DistributedLock lock = ours.getLock("k");
    Lease first = lock.acquire();
    memory.remove("k");
    Lease other = theirs.getLock("k").acquire();
    Lease stale = handOver(lock, first);
    List<LockLoss> losses = new CopyOnWriteArrayList<>();
    stale.onLost(losses::add);
    assertThat(stale.token()).as("what the check is for").isLessThan(other.token());

    time.advance(INTERVAL.minus(A_MOMENT));
    assertThat(stale.isValid()).isTrue();
    time.advance(A_MOMENT);

    assertThat(stale.isValid()).isFalse();
    assertThat(other.isValid()).isTrue();
    assertThatThrownBy(stale::close).isInstanceOf(LockLostException.class);
    await().until(() -> losses.size() == 1);
    assertThat(losses.get(0).reason()).isEqualTo(LossReason.GONE_FROM_STORE);
    CompletableFuture<Lease> next = lock.acquireAsync();
    assertThat(next).isNotDone();
    other.close();
    assertThat(now(next).token()).isGreaterThan(other.token());
    next.join().close();
  }

  @Test
  void aBusyChainEndsAsLostHoweverOftenItIsHandedOver() {
    DistributedLock lock = ours.getLock("k");
    Lease held = lock.acquire();
    for (int i = 0; i < 5; i++) {
      held = handOver(lock, held);
      time.advance(INTERVAL);
    }
    memory.remove("k");
    long deleted = time.nanoTime();
    Lease other = theirs.getLock("k").acquire();
    while (held.isValid()) {
      time.advance(Duration.ofMillis(7));
      if (held.isValid()) {
        held = handOver(lock, held);
      }
    }
    assertThat(Duration.ofNanos(time.nanoTime() - deleted))
        .isLessThanOrEqualTo(INTERVAL.plusMillis(14));
    other.close();
  }

  @Test
  void aLingeringLockIsNotUsedAnyMoreAnIntervalAfterItsDeletion() {
    DistributedLock lock = ours.getLock(lingering("k"));
    lock.acquire().close();
    time.advance(INTERVAL.multipliedBy(5));
    memory.remove("k");
    Lease other = theirs.getLock("k").acquire();
    time.advance(INTERVAL);

    CompletableFuture<Lease> next = lock.acquireAsync();
    assertThat(next).as("the other holds it").isNotDone();
    other.close();
    assertThat(now(next).token()).isGreaterThan(other.token());
    next.join().close();
  }

  private static LockConfig lingering(String key) {
    return LockConfig.builder()
        .lockKey(key)
        .leaseTime(600)
        .watchdogPeriod(300)
        .linger(Duration.ofMinutes(1))
        .build();
  }

  @Test
  void aWriteLockThatIsHandedOverAfterADeletionIsLostAfterAnInterval() {
    DistributedLock write = ours.getReadWriteLock("k").writeLock();
    Lease first = write.acquire();
    memory.remove("k");
    Lease other = theirs.getReadWriteLock("k").writeLock().acquire();
    Lease stale = handOver(write, first);
    time.advance(INTERVAL);
    assertThat(stale.isValid()).isFalse();
    assertThat(other.isValid()).isTrue();
    other.close();
  }

  @Test
  void aReaderThatJoinsOthersAfterADeletionIsLostAfterAnInterval() {
    DistributedLock read = ours.getReadWriteLock("k").readLock();
    Lease first = read.acquire();
    memory.remove("k");
    Lease other = theirs.getReadWriteLock("k").writeLock().acquire();
    Lease stale = read.acquire();
    time.advance(INTERVAL);
    assertThat(stale.isValid()).isFalse();
    assertThat(first.isValid()).isFalse();
    other.close();
  }

  @Test
  void aPermitThatIsHandedOverAfterADeletionIsLostAfterAnInterval() {
    DistributedSemaphore semaphore = ours.getSemaphore("k", 1);
    Lease first = semaphore.acquire();
    memory.remove("k");
    Lease other = theirs.getSemaphore("k", 1).acquire();
    CompletableFuture<Lease> next = semaphore.acquireAsync(1); // waits, here and in the store
    first.close();
    Lease stale = now(next);
    time.advance(INTERVAL);
    assertThat(stale.isValid()).isFalse();
    assertThat(other.isValid()).isTrue();
    other.close();
  }

  @Test
  void aFairLockThatIsHandedOverAfterADeletionIsLostAfterAnInterval() {
    DistributedLock lock = ours.getFairLock("k");
    Lease first = lock.acquire();
    memory.remove("k");
    Lease other = theirs.getFairLock("k").acquire();
    Lease stale = handOver(lock, first);
    time.advance(INTERVAL);
    assertThat(stale.isValid()).isFalse();
    other.close();
  }

  // ---- how old a proof may be

  @Test
  void aHoldWhoseProofIsTooOldIsNotHandedOverButGivenBack() {
    DistributedLock lock = ours.getLock("k");
    Lease first = lock.acquire();
    memory.remove("k");
    Lease other = theirs.getLock("k").acquire();
    time.advance(TRUST.plusNanos(1));
    CompletableFuture<Lease> next = lock.acquireAsync();

    assertThatThrownBy(first::close).isInstanceOf(LockLostException.class);
    assertThat(next).as("asks the store").isNotDone();
    other.close();
    assertThat(now(next).token()).isGreaterThan(other.token());
    next.join().close();
  }

  @Test
  void aHoldThatLastedLongAndIsStillOursIsGivenToTheNextByTheStore() {
    DistributedLock lock = ours.getLock("k");
    Lease first = lock.acquire();
    time.advance(Duration.ofMinutes(2));
    Lease next = handOver(lock, first);
    assertThat(next.token()).isGreaterThan(first.token());
    assertThat(next.isValid()).isTrue();
    next.close();
    assertThat(memory.size()).isZero();
  }

  @Test
  void whileTheStoreIsSilentAChainEndsWhenItsProofIsTooOld() {
    DistributedLock lock = ours.getLock("k");
    Lease held = handOver(lock, lock.acquire());
    store.answer("check", call -> new CompletableFuture<>());
    memory.remove("k");
    Lease other = theirs.getLock("k").acquire();
    time.advance(TRUST);
    held = handOver(lock, held);
    time.advance(A_MOMENT);
    CompletableFuture<Lease> next = lock.acquireAsync();

    assertThatThrownBy(held::close).isInstanceOf(LockLostException.class);
    assertThat(next).as("asks the store").isNotDone();
    other.close();
    now(next).close();
  }

  @Test
  void aReaderDoesNotJoinOthersWhoseProofIsTooOld() {
    DistributedLock read = ours.getReadWriteLock("k").readLock();
    Lease first = read.acquire();
    memory.remove("k");
    Lease other = theirs.getReadWriteLock("k").writeLock().acquire();
    time.advance(TRUST.plusNanos(1));
    CompletableFuture<Lease> next = read.acquireAsync();
    assertThat(next).isNotDone();
    other.close();
    assertThat(now(next).token()).isGreaterThan(other.token());
    next.join().close();
    assertThatThrownBy(first::close).isInstanceOf(LockLostException.class);
  }

  @Test
  void aLockThatLingersAfterALongHoldIsUsedWithoutTheStoreOnceItIsProved() {
    DistributedLock lock = ours.getLock(lingering("k"));
    Lease first = lock.acquire();
    time.advance(Duration.ofMinutes(2));
    first.close();
    assertThat(memory.size()).as("lingers").isEqualTo(1);
    time.advance(INTERVAL);
    store.answer("acquire", call -> new CompletableFuture<>());
    now(lock.acquireAsync()).close();
    store.answerNormally("acquire");
  }

  // ---- answers

  @Test
  void aQuestionWithoutAnAnswerIsRepeatedAndProvesNothing() {
    DistributedLock lock = ours.getLock("k");
    store.answer(
        "check", call -> CompletableFuture.failedFuture(new IllegalStateException("away")));
    Lease held = handOver(lock, lock.acquire());
    memory.remove("k");
    time.advance(INTERVAL.multipliedBy(4));
    assertThat(held.isValid()).isTrue();

    store.answer("check", this::counted);
    time.advance(INTERVAL);

    assertThat(held.isValid()).isFalse();
    assertThat(checks).containsExactly(1);
  }

  @Test
  void anAnswerThatIsOlderThanAnotherProofIsIgnored() {
    DistributedLock lock =
        ours.getLock(LockConfig.builder().lockKey("k").renewalTime(1).watchdogPeriod(300).build());
    CompletableFuture<List<Boolean>> late = new CompletableFuture<>();
    Lease held = handOver(lock, lock.acquire());
    store.answer("check", call -> late);
    time.advance(Duration.ofSeconds(3)); // renewed meanwhile
    late.complete(List.of(false));
    assertThat(held.isValid()).isTrue();
    held.close();
  }

  @Test
  void anAnswerThatComesAfterTheEndIsIgnored() {
    DistributedLock lock = ours.getLock("k");
    List<LockLoss> losses = new CopyOnWriteArrayList<>();
    lock.onLost(losses::add);
    CompletableFuture<List<Boolean>> late = new CompletableFuture<>();
    store.answer("check", call -> late);
    Lease held = handOver(lock, lock.acquire());
    time.advance(INTERVAL);
    held.close();
    Lease next = lock.acquire();
    late.complete(List.of(false));
    assertThat(next.isValid()).isTrue();
    assertThat(losses).isEmpty();
    next.close();
  }

  @Test
  void aLockThatNobodyElseHadIsTakenBackWhereThatIsAllowed() {
    LockConfig resuming =
        LockConfig.builder()
            .lockKey("k")
            .leaseTime(600)
            .watchdogPeriod(300)
            .recoveryStrategy(RecoveryStrategy.ALL)
            .build();
    DistributedLock lock = ours.getLock(resuming);
    Lease held = handOver(lock, lock.acquire());
    memory.remove("k");
    time.advance(INTERVAL);
    assertThat(held.isValid()).isTrue();
    assertThat(memory.size()).as("taken back").isEqualTo(1);

    Lease again = handOver(lock, held);
    memory.remove("k");
    theirs.getLock("k").acquire().close();
    time.advance(INTERVAL);
    assertThat(again.isValid()).as("somebody had it").isFalse();
  }

  @Test
  void takingBackIsTriedAgainWhenTheStoreDoesNotAnswer() {
    LockConfig resuming =
        LockConfig.builder()
            .lockKey("k")
            .leaseTime(600)
            .watchdogPeriod(300)
            .recoveryStrategy(RecoveryStrategy.ALL)
            .build();
    DistributedLock lock = ours.getLock(resuming);
    Lease held = handOver(lock, lock.acquire());
    memory.remove("k");
    theirs.getLock("k").acquire().close();
    store.answer(
        "renew", call -> CompletableFuture.failedFuture(new IllegalStateException("away")));
    time.advance(INTERVAL);
    assertThat(held.isValid()).isTrue();
    store.answerNormally("renew");
    time.advance(INTERVAL);
    assertThat(held.isValid()).isFalse();
  }

  // ---- costs

  @Test
  void aHoldThatIsNotHandedOverAsksNothing() {
    ours.getLock("k").acquire();
    ours.getReadWriteLock("rw").readLock().acquire();
    ours.getSemaphore("s", 2).acquire();
    for (int i = 0; i < 100; i++) {
      ours.getLock("pair").acquire().close();
    }
    time.advance(Duration.ofMinutes(2));
    assertThat(checks).isEmpty();
  }

  @Test
  void noTimerRunsWhereNothingIsHandedOver() {
    ours.getLock("k").acquire();
    assertThat(time.untilNextTask()).isGreaterThan(Duration.ofMinutes(1));
  }

  @Test
  void oneProofIsEnoughForAHoldThatLasts() {
    DistributedLock lock = ours.getLock("k");
    Lease held = lock.acquire();
    for (int i = 0; i < 100; i++) {
      held = handOver(lock, held);
    }
    time.advance(Duration.ofMinutes(2));
    assertThat(checks).containsExactly(1);
    assertThat(time.untilNextTask()).isGreaterThan(Duration.ofMinutes(1));
    held.close();
  }

  @Test
  void aThousandLocksThatAreHandedOverAllTheTimeCostFourQuestionsPerSecond() {
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      held.add(ours.getLock("k" + i).acquire());
    }
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < 1000; i++) {
        held.set(i, handOver(ours.getLock("k" + i), held.get(i)));
      }
      time.advance(Duration.ofMillis(100));
    }
    assertThat(checks).hasSize(40).containsOnly(500);
  }

  @Test
  void aThousandLocksThatLingerCostFourQuestionsPerSecond() {
    for (int i = 0; i < 1000; i++) {
      ours.getLock(lingering("k" + i)).acquire().close();
    }
    time.advance(Duration.ofSeconds(10));
    assertThat(checks).hasSize(40).containsOnly(500);
    time.advance(Duration.ofMinutes(2));
    checks.clear();
    time.advance(Duration.ofMinutes(1));
    assertThat(checks).as("they have been given back").isEmpty();
  }

  @Test
  void aQuestionNamesWhatIsHeldAndNothingElse() {
    DistributedLock lock = ours.getLock("k");
    List<Object> asked = new CopyOnWriteArrayList<>();
    store.answer(
        "check",
        call -> {
          asked.addAll((List<?>) call.argument(0));
          return call.proceed();
        });
    ours.getLock("plain").acquire();
    DistributedLock gone = ours.getLock("gone");
    handOver(gone, gone.acquire()).close();
    Lease held = handOver(lock, lock.acquire());
    time.advance(INTERVAL);
    assertThat(asked).hasSize(1);
    assertThat(((Holding) Objects.requireNonNull(asked.get(0))).resource().key()).isEqualTo("k");
    held.close();
  }
}
