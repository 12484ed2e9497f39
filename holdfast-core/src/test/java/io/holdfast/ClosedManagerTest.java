package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TimeSource;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

@Timeout(600)
@SuppressWarnings("LockNotBeforeTry")
@Isolated
class ClosedManagerTest {
  private final MemoryStore store = new MemoryStore(TimeSource.system());
  private final LockManager manager = manager();
  private final LockManager other = manager();
  private final DistributedLock lock = manager.getLock("k");
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private LockManager manager() {
    return LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
  }

  @AfterEach
  void close() {
    manager.close();
    other.close();
    threads.shutdownNow();
  }

  /** Before Java 21 as many continuations as there are threads keep all others out. */
  @Test
  void endsContinuationsThatWaitForALockInAllThreadsOfTheirKind() {
    assertThat(other.getLock("held elsewhere").tryLock()).isTrue();
    int bound = Math.min(256, Math.max(32, 8 * Runtime.getRuntime().availableProcessors()));
    List<CompletableFuture<Lease>> continuations = new ArrayList<>();
    CountDownLatch blocked = new CountDownLatch(bound);
    for (int i = 0; i < bound + 8; i++) {
      Lease before = other.getLock("k" + i).acquire();
      continuations.add(
          manager
              .getLock("k" + i)
              .acquireAsync()
              .thenApply(
                  lease -> {
                    blocked.countDown();
                    return manager.getLock("held elsewhere").acquireAsync().join();
                  }));
      before.close();
    }
    await().until(() -> blocked.getCount() == 0);

    manager.close();

    assertThat(continuations)
        .allSatisfy(
            each ->
                assertThat(each)
                    .failsWithin(Duration.ofMinutes(2))
                    .withThrowableOfType(ExecutionException.class)
                    .withRootCauseInstanceOf(LockManagerClosedException.class));
  }

  @Test
  void givesNoLocks() {
    manager.close();

    assertThatThrownBy(() -> manager.getLock("k"))
        .isInstanceOf(LockManagerClosedException.class)
        .hasMessage("lock 'k': the lock manager is closed; create a new one to go on");
    assertThatThrownBy(() -> manager.getFairLock("k"))
        .isInstanceOf(LockManagerClosedException.class);
    assertThatThrownBy(() -> manager.execute("k", -1, 1, () -> "not reached"))
        .isInstanceOf(LockManagerClosedException.class);
  }

  @Test
  void refusesEveryUseOfALockItGaveBefore() {
    manager.close();

    assertClosed(lock::lock);
    assertClosed(lock::tryLock);
    assertClosed(() -> lock.tryLock(Duration.ofSeconds(1)));
    assertClosed(lock::lockInterruptibly);
    assertClosed(lock::acquire);
    assertClosed(lock::tryAcquire);
    assertClosed(() -> lock.acquireAsync().join());
    assertClosed(lock::info);
    assertClosed(lock::forceUnlock);
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(lock.getHoldCount()).isZero();
  }

  @Test
  void mayBeClosedTwice() {
    manager.close();

    assertThatCode(manager::close).doesNotThrowAnyException();
  }

  @Test
  void givesBackWhatIsHeldAndTellsTheHolders() {
    lock.lock();
    Lease lease = manager.getLock("other").acquire();
    CompletableFuture<LockLoss> told = new CompletableFuture<>();
    lease.onLost(told::complete);

    manager.close();

    assertThat(store.size()).isZero();
    assertThat(lease.isValid()).isFalse();
    assertThat(told.join().reason()).isEqualTo(LossReason.MANAGER_CLOSED);
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(LockLostException.class)
        .hasMessageContaining("the lock manager was closed");
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
  }

  @Test
  void letsOthersHaveWhatItHeld() {
    lock.lock();
    CompletableFuture<Lease> waiting = other.getLock("k").acquireAsync();

    manager.close();

    assertThat(waiting).succeedsWithin(Duration.ofMinutes(2));
  }

  @Test
  void endsThreadsAndFuturesThatWaitInThisProcess() {
    Lease held = lock.acquire();

    assertAllWaitersEnd(() -> lock.info().localWaiters() == 8);
    assertThat(held.isValid()).isFalse();
    assertThat(store.size()).isZero();
  }

  @Test
  void endsThreadsAndFuturesThatWaitForAnotherProcess() {
    Lease theirs = other.getLock("k").acquire();

    assertAllWaitersEnd(() -> lock.info().waiters().size() == 1 && lock.info().localWaiters() == 7);
    assertThat(theirs.isValid()).isTrue();
    assertThat(other.getLock("k").info().waiters()).isEmpty();
  }

  private void assertAllWaitersEnd(Callable<Boolean> allWait) {
    List<Future<?>> waiting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      waiting.add(threads.submit(() -> lock.lock()));
      waiting.add(threads.submit(() -> lock.tryLock(Duration.ofHours(1))));
      waiting.add(lock.acquireAsync());
      waiting.add(lock.waitUpTo(Duration.ofHours(1)).acquireAsync());
    }
    await().until(allWait);

    manager.close();

    assertThat(waiting)
        .allSatisfy(
            one ->
                assertThatThrownBy(one::get)
                    .hasCauseInstanceOf(LockManagerClosedException.class)
                    .hasMessageContaining("'k'"));
  }

  @Test
  void endsTenThousandFuturesWithoutAThreadForEach() {
    ThreadMXBean counted = ManagementFactory.getThreadMXBean();
    counted.resetPeakThreadCount();
    Lease held = lock.acquire();
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      waiting.add(lock.acquireAsync());
    }

    manager.close();

    for (CompletableFuture<Lease> one : waiting) {
      assertThatThrownBy(one::join).hasCauseInstanceOf(LockManagerClosedException.class);
    }
    assertThat(held.isValid()).isFalse();
    assertThat(counted.getPeakThreadCount()).as("threads at once").isLessThan(1_000);
  }

  /** Every step of closing fails that can. */
  @Test
  void closesTheRestWhenAStepFails() {
    WatchedStore faulty = new WatchedStore(store);
    MetricsCollector failing =
        new MetricsCollector() {
          @Override
          public void stopped(MetricsCollector.Source stopped) {
            throw new AssertionError("a collector that fails");
          }
        };
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    LockManager closing =
        LockManager.builder("memory:")
            .engine(faulty)
            .metrics(failing)
            .listener(events::add)
            .build();
    closing.getLock("stays").lock();
    closing.getLock("goes").lock();
    faulty.answer(
        "release",
        call -> {
          if (((ReleaseRequest) call.argument(0)).resource().equals(Resource.lock("stays"))) {
            throw new AssertionError("a release that fails");
          }
          return call.proceed();
        });
    faulty.answer(
        "close",
        call -> {
          throw new AssertionError("a store that fails");
        });
    Thread.currentThread().interrupt();

    assertThatCode(closing::close).doesNotThrowAnyException();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(other.getLock("goes").tryLock()).isTrue();
    assertThat(other.getLock("stays").tryLock()).isFalse();
    assertThat(events)
        .filteredOn(event -> event.kind() == LockEvent.Kind.LOST)
        .extracting(LockEvent::key)
        .containsExactlyInAnyOrder("stays", "goes");
  }

  private static void assertClosed(ThrowingCallable use) {
    assertThatThrownBy(use).isInstanceOf(LockManagerClosedException.class);
  }
}
