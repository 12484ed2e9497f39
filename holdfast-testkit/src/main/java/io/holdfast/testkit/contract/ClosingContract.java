package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.LockManagerClosedException;
import io.holdfast.testkit.OtherThread;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A manager is closed on a thread that is interrupted before or while it closes. It gives
 * everything back, ends everyone who waits and leaves nothing behind, as on any other thread. It
 * throws nothing, and the thread is still interrupted afterwards. No lease ends within a test.
 */
interface ClosingContract extends ContractFixture {
  /** Between two interrupts. */
  long PAUSE_NANOS = 50_000;

  @Test
  default void aManagerGivesEverythingBackWhenItIsClosed() {
    everythingIsGivenBackBy(LockManager::close);
  }

  @Test
  default void aManagerThatAnInterruptedThreadClosesGivesEverythingBack() {
    everythingIsGivenBackBy(ClosingContract::closeInterrupted);
  }

  @Test
  default void aManagerWhoseThreadIsInterruptedAgainAndAgainGivesEverythingBack() {
    everythingIsGivenBackBy(ClosingContract::closeUnderInterrupts);
  }

  private void everythingIsGivenBackBy(Consumer<LockManager> close) {
    LockManager closing = anotherManager();
    OtherThread holder = otherThread();
    LockConfig lasting = LockConfig.builder().leaseTime(LONG_LEASE).build();
    holder.run(() -> closing.getLock(lasting.withKey(key())).lock());
    LockConfig fair = lasting.withKey(key() + ":fair").toBuilder().fair(true).build();
    holder.run(() -> closing.getLock(fair).lock());
    holder.run(
        () -> closing.getReadWriteLock(lasting.withKey(key() + ":rw"), false).readLock().lock());
    Lease permit = closing.getSemaphore(lasting.withKey(key() + ":permits"), 2).acquire(2);
    Lease multi = closing.getMultiLock(lasting, List.of(key() + ":a", key() + ":b")).acquire();
    Lease theirs = manager().getLock(lasting.withKey(key() + ":theirs")).acquire();
    OtherThread here = otherThread();
    OtherThread there = otherThread();
    List<Future<Boolean>> waiting =
        List.of(
            here.startRun(() -> closing.getLock(key()).lock()),
            there.startRun(() -> closing.getLock(key() + ":theirs").lock()));
    eventually().until(() -> here.isWaiting() && there.isWaiting());
    eventually().until(() -> theirs.isValid() && waiters(":theirs") == 1);

    otherThread().run(() -> close.accept(closing));

    assertThat(permit.isValid() || multi.isValid()).isFalse();
    for (Future<Boolean> one : waiting) {
      assertThatThrownBy(() -> OtherThread.get(one)).isInstanceOf(LockManagerClosedException.class);
    }
    theirs.close();
    for (String lock : List.of("", ":fair", ":a", ":b", ":theirs")) {
      isGivenBack(otherManager().getLock(key() + lock));
    }
    isGivenBack(otherManager().getReadWriteLock(key() + ":rw").writeLock());
    eventually()
        .until(() -> otherManager().getSemaphore(key() + ":permits", 2).tryAcquire(2).isPresent());
    assertThat(waiters(":theirs")).isZero();
  }

  private int waiters(String lock) {
    return otherManager().getLock(key() + lock).info().waiters().size();
  }

  private void isGivenBack(DistributedLock lock) {
    eventually().until(lock::tryLock);
    lock.unlock();
  }

  @Test
  default void aHolderThatIsInterruptedByTheLossOfItsLockClosesItsManager() {
    LockManager closing = anotherManager();
    LockConfig config =
        LockConfig.builder().lockKey(key()).leaseTime(LONG_LEASE).interruptOnLoss(true).build();
    boolean interrupted =
        otherThread()
            .check(
                () -> {
                  closing.getLock(config).lock();
                  closing.close();
                  return Thread.interrupted();
                });
    assertThat(interrupted).isTrue();
    isGivenBack(sameLockElsewhere());
  }

  @Test
  default void nothingOfAManagerThatAnInterruptedThreadClosesIsLeft() throws Exception {
    nothingIsLeftBy(ClosingContract::closeInterrupted);
  }

  @Test
  default void nothingOfAManagerWhoseThreadIsInterruptedAgainAndAgainIsLeft() throws Exception {
    nothingIsLeftBy(ClosingContract::closeUnderInterrupts);
  }

  /** The threads of a manager are in the group of the thread that makes it. */
  private void nothingIsLeftBy(Consumer<LockManager> close) throws Exception {
    ThreadGroup group = new ThreadGroup(key());
    FutureTask<LockManager> life =
        new FutureTask<>(
            () -> {
              LockManager closing = store().newManager().build();
              closing.getLock(key()).lock();
              closing.getFairLock(key() + ":fair").acquire();
              close.accept(closing);
              return closing;
            });
    new Thread(group, life, "life").start();
    LockManager closed = OtherThread.get(life);

    eventually().untilAsserted(() -> assertThat(threadsOf(group)).isEmpty());
    eventually().until(() -> closed.health().connections() == 0);
    isGivenBack(sameLockElsewhere());
    isGivenBack(otherManager().getFairLock(key() + ":fair"));
  }

  private List<Thread> threadsOf(ThreadGroup group) {
    Thread[] threads = new Thread[1_000];
    int count = group.enumerate(threads);
    return Arrays.stream(threads, 0, count).filter(each -> !isShared(each)).toList();
  }

  private boolean isShared(Thread thread) {
    return thread.getName().startsWith("ForkJoinPool.commonPool")
        || thread.getName().startsWith("CompletableFutureDelayScheduler")
        || store().isShared(thread);
  }

  private static void closeInterrupted(LockManager manager) {
    Thread.currentThread().interrupt();
    manager.close();
    assertThat(Thread.interrupted()).as("still interrupted").isTrue();
  }

  private static void closeUnderInterrupts(LockManager manager) {
    Thread closer = Thread.currentThread();
    AtomicBoolean closed = new AtomicBoolean();
    closer.interrupt();
    CompletableFuture<@Nullable Void> storm =
        CompletableFuture.runAsync(
            () -> {
              while (!closed.get()) {
                closer.interrupt();
                LockSupport.parkNanos(PAUSE_NANOS);
              }
            },
            task -> new Thread(task, "storm").start());
    try {
      manager.close();
      assertThat(closer.isInterrupted()).as("still interrupted").isTrue();
    } finally {
      closed.set(true);
      storm.join();
      Thread.interrupted();
    }
  }
}
