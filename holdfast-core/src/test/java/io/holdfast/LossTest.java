package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock that is lost while it is held, with a clock that the test moves. */
@Timeout(600)
@SuppressWarnings("LockNotBeforeTry") // what happens without is what is tested
class LossTest {
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration PAST_THE_LEASE = Duration.ofSeconds(2);

  private final ManualTime time = new ManualTime();
  private final MemoryStore store = new MemoryStore(time);
  private final LockManager ours = manager();
  private final LockManager theirs = manager();
  private final DistributedLock lock = ours.getLock("k");

  private LockManager manager() {
    return time.drive(LockManager.builder("memory:"))
        .engine(new MemoryBackendProvider(store))
        .build();
  }

  @AfterEach
  void close() {
    ours.close();
    theirs.close();
  }

  @Test
  void aLeaseOfMinusOneIsRenewedWhateverTheUnit() throws Exception {
    for (TimeUnit unit : new TimeUnit[] {TimeUnit.SECONDS, TimeUnit.NANOSECONDS}) {
      lock.lock(-1, unit);
      time.advance(Duration.ofMinutes(10));
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock();
      assertThat(lock.tryLock(0, -1, unit)).isTrue();
      time.advance(Duration.ofMinutes(10));
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock();
    }
    assertThatThrownBy(() -> lock.lock(-2, TimeUnit.SECONDS))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theHolderIsToldAtTheDeadlineBeforeAnotherCanBeGranted() {
    List<LockLoss> losses = new CopyOnWriteArrayList<>();
    try (Acquirable.Subscription listening = lock.onLost(losses::add)) {
      assertThat(listening).isNotNull();
      lock.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);

      time.advance(Duration.ofMillis(787));
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      time.advance(Duration.ofMillis(1));

      assertThat(lock.isHeldByCurrentThread()).isFalse();
      assertThat(theirs.getLock("k").tryLock()).as("granted to another").isFalse();
      await().until(() -> losses.size() == 1);
      assertThat(losses.get(0).reason()).isEqualTo(LossReason.LEASE_EXPIRED);
      assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    }
  }

  @Test
  void everyUnlockOfANestedHoldHearsOfTheLoss() {
    lock.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
    lock.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
    time.advance(PAST_THE_LEASE);

    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(lock::unlock)
        .as("one more than it had entered")
        .isExactlyInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void aThreadPausedPastItsDeadlineDoesNotEnterAgainWhatAnotherHasByNow() {
    lock.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
    time.pause(PAST_THE_LEASE); // no timer has run: the process did not run at all
    assertThat(theirs.getLock("k").tryLock()).as("granted to another").isTrue();

    assertThat(lock.tryLock()).as("two holders").isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aThreadDoesNotEnterAgainALockThatIsBeingTakenFromIt(boolean late) throws Exception {
    DistributedLock interrupting =
        ours.getLock(LockConfig.builder().lockKey("k").interruptOnLoss(true).build());
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch lossIsHandled = new CountDownLatch(1);
    CountDownLatch triedAgain = new CountDownLatch(1);
    CompletableFuture<Boolean> believesToHoldAgain = new CompletableFuture<>();
    Thread holder =
        new SteppingThread(
            () -> {
              interrupting.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
              held.countDown();
              awaitQuietly(lossIsHandled);
              try {
                believesToHoldAgain.complete(interrupting.tryLock());
              } catch (Throwable e) {
                believesToHoldAgain.completeExceptionally(e);
              } finally {
                triedAgain.countDown();
              }
            },
            late,
            () -> {
              lossIsHandled.countDown();
              awaitQuietly(triedAgain);
            });
    holder.start();
    held.await();

    time.advance(PAST_THE_LEASE); // stops half way, while the thread tries to lock again

    assertThat(believesToHoldAgain).isCompletedWithValue(false);
    holder.join();
  }

  /**
   * A thread that notices two things which are done to it when its lock is lost: that it is looked
   * up among the losers (early), and that it is interrupted (late). The loss waits there for a
   * step.
   */
  private static final class SteppingThread extends Thread {
    private final boolean late;
    private final Runnable step;

    SteppingThread(Runnable body, boolean late, Runnable step) {
      super(body);
      this.late = late;
      this.step = step;
    }

    @Override
    public int hashCode() {
      if (!late && Thread.currentThread() != this) {
        step.run();
      }
      return 1;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public void interrupt() {
      if (late) {
        step.run();
      }
    }
  }

  @Test
  void whoeverHasHeardOfTheLossAndLocksAgainHasTheLock() throws Exception {
    ExecutorService clock = Executors.newSingleThreadExecutor();
    int heardAndLocked = 0;
    for (int round = 0; round < 5_000; round++) {
      lock.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
      AtomicBoolean go = new AtomicBoolean();
      Future<?> lost =
          clock.submit(
              () -> {
                go.set(true);
                time.advance(PAST_THE_LEASE);
              });
      while (!go.get()) {
        Thread.onSpinWait();
      }
      boolean heard = unlockHearsOfLoss();
      boolean again =
          lock.tryLock(0, PAST_THE_LEASE.multipliedBy(5).toMillis(), TimeUnit.MILLISECONDS);
      lost.get();

      if (heard && again) {
        heardAndLocked++;
        assertThat(lock.isHeldByCurrentThread()).as("has the lock in round %d", round).isTrue();
      }
      if (lock.isHeldByCurrentThread()) {
        lock.unlock();
      }
      time.advance(PAST_THE_LEASE);
    }
    clock.shutdown();
    assertThat(heardAndLocked).as("how often it came to that").isPositive();
  }

  private boolean unlockHearsOfLoss() {
    try {
      lock.unlock();
      return false;
    } catch (LockLostException e) {
      return true;
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aLossOfOneLockDoesNotKeepTheOthersFromBeingRenewed() {
    MemoryStore another = new MemoryStore(time);
    LockManager manager =
        time.drive(LockManager.builder("memory:"))
            .engine(new MemoryBackendProvider(another))
            .callbackExecutor(
                task -> {
                  throw new RejectedExecutionException("full, on purpose");
                })
            .build();
    DistributedLock lost = manager.getLock("lost");
    DistributedLock kept = manager.getLock("kept");
    lost.onLost(loss -> {});
    lost.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
    kept.lock();

    try {
      time.advance(PAST_THE_LEASE); // the listener of the lost lock cannot be called
    } catch (RejectedExecutionException e) {
      // the timer thread would log it
    }
    time.advance(Duration.ofMinutes(5));

    assertThat(kept.isHeldByCurrentThread()).as("renewed all the time").isTrue();
    manager.close();
  }
}
