package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks that stay for a while, and releases that are not waited for. */
@Timeout(600)
@SuppressWarnings("LockNotBeforeTry")
class LingerTest {
  private final ManualTime time = new ManualTime();
  private final MemoryStore memory = new MemoryStore(time);
  private final WatchedStore store = new WatchedStore(memory);
  private final AtomicInteger calls = new AtomicInteger();
  private final LockManager manager = manager();
  private final LockManager other = manager();
  private final LockConfig lingering =
      LockConfig.builder().lockKey("k").linger(Duration.ofSeconds(3)).build();
  private final DistributedLock lock = manager.getLock(lingering);

  private LockManager manager() {
    return time.drive(LockManager.builder("memory:")).engine(store).build();
  }

  @BeforeEach
  void countCalls() {
    for (String call : List.of("acquire", "release", "renew")) {
      store.answer(
          call,
          each -> {
            calls.incrementAndGet();
            return each.proceed();
          });
    }
  }

  @AfterEach
  void close() {
    manager.close();
    other.close();
  }

  @Test
  void theNextUseCostsNothingAndHasALargerToken() {
    lock.lock();
    long first = lock.fencingToken();
    lock.unlock();
    assertThat(calls).as("one attempt, no release").hasValue(1);
    for (int i = 0; i < 100; i++) {
      lock.lock();
      assertThat(lock.fencingToken()).isGreaterThan(first);
      lock.unlock();
    }
    assertThat(calls).hasValue(1);
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(memory.size()).as("it is still here").isEqualTo(1);
  }

  @Test
  void itGoesBackWhenItHasNotBeenUsedForItsTime() {
    lock.lock();
    lock.unlock();
    time.advance(Duration.ofSeconds(2));
    lock.lock();
    lock.unlock();
    time.advance(Duration.ofMillis(2900));
    assertThat(memory.size()).as("used since").isEqualTo(1);
    time.advance(Duration.ofMillis(200));
    assertThat(memory.size()).isZero();
  }

  @Test
  void itGoesBackAtOnceWhenAnotherProcessWantsIt() throws Exception {
    lock.lock();
    lock.unlock();
    CompletableFuture<Lease> theirs = other.getLock("k").acquireAsync();
    try (Lease lease = theirs.get()) {
      assertThat(lease.isValid()).isTrue();
    }
    assertThat(memory.size()).isZero();
  }

  @Test
  void aLockThatIsWantedWhileItIsUsedDoesNotLinger() throws Exception {
    lock.lock();
    CompletableFuture<Lease> theirs = other.getLock("k").acquireAsync();
    lock.unlock();
    theirs.get().close();
    assertThat(memory.size()).isZero();
  }

  @Test
  void aWishThatWasNotHeardComesWithTheNextRenewal() throws Exception {
    LockConfig longer = lingering.toBuilder().linger(Duration.ofHours(1)).build();
    manager.getLock(longer).lock();
    manager.getLock(longer).unlock();
    store.ignoreSignals("contended");
    CompletableFuture<Lease> theirs = other.getLock("k").acquireAsync();
    assertThat(theirs).isNotDone();
    time.advance(Duration.ofSeconds(11));
    theirs.get().close();
  }

  @Test
  void aTenureLeftForAWaiterWhoIsGoneDoesNotStayForGood() throws Exception {
    lock.lock();
    lock.unlock();
    lock.lock();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    waiting.cancel(false);
    lock.unlock();
    time.advance(Duration.ofSeconds(4));
    assertThat(memory.size()).isZero();
  }

  @Test
  void closingAndDestroyingGiveItBack() {
    lock.lock();
    lock.unlock();
    manager.destroyLock("k");
    assertThat(memory.size()).isZero();
    lock.lock();
    lock.unlock();
    manager.close();
    assertThat(memory.size()).isZero();
  }

  @Test
  void aLockThatVanishedWhileItLingeredIsTakenAnew() {
    lock.lock();
    long before = lock.fencingToken();
    lock.unlock();
    memory.remove("k");
    time.advance(Duration.ofMillis(100));
    assertThat(other.getLock("k").tryLock()).isTrue();
    other.getLock("k").unlock();
    time.advance(Duration.ofSeconds(4));
    lock.lock();
    assertThat(lock.fencingToken()).isGreaterThan(before);
    lock.unlock();
  }

  @Test
  void aPipelinedReleaseIsNotWaitedForAndALossIsToldToListeners() {
    LockConfig pipelined = LockConfig.builder().lockKey("k").pipelinedRelease(true).build();
    DistributedLock quick = manager.getLock(pipelined);
    List<LockLoss> losses = new CopyOnWriteArrayList<>();
    quick.onLost(losses::add);
    CompletableFuture<ReleaseResult> answer = new CompletableFuture<>();
    quick.lock();
    store.answer("release", call -> answer);
    quick.unlock();
    assertThat(quick.isHeldByCurrentThread()).isFalse();
    assertThat(losses).isEmpty();

    store.answerNormally("release");
    answer.complete(new ReleaseResult.NotHeld());
    await().until(() -> losses.size() == 1);
    assertThat(losses.get(0).reason()).isEqualTo(LossReason.GONE_FROM_STORE);
  }

  @Test
  void aPipelinedReleaseWithoutAnAnswerIsRepeated() {
    LockConfig pipelined = LockConfig.builder().lockKey("k").pipelinedRelease(true).build();
    DistributedLock quick = manager.getLock(pipelined);
    quick.lock();
    store.answer(
        "release",
        call ->
            CompletableFuture.completedFuture(
                new ReleaseResult.Unknown(new IllegalStateException("silence"))));
    quick.unlock();
    assertThat(memory.size()).isEqualTo(1);
    store.answerNormally("release");
    time.advance(Duration.ofSeconds(1));
    assertThat(memory.size()).isZero();
  }
}
