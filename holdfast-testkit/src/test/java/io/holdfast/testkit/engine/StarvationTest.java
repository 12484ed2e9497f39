package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testkit.engine.InterceptedStore.HeldCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A process in which somebody always waits hands the lock on among its own threads. However they
 * use it, one who waits in another process gets its turn.
 */
@Isolated
@Timeout(600)
class StarvationTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final int FAR_TOO_MANY = 5000;

  private final TwoProcesses processes = new TwoProcesses();

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void aProcessWhoseThreadsUseLeasesOfTheirOwnLetsOthersIn() {
    DistributedLock lock = processes.here.getLock("k");
    assertThat(holdsUntilTheOtherIsServed(i -> lock.waitUpTo(LONG).leaseFor(LEASE).acquireAsync()))
        .isLessThanOrEqualTo(lock.config().handoffLimit());
  }

  @Test
  void aProcessWhoseThreadsUseLeasesOfManyLengthsLetsOthersIn() {
    DistributedLock lock = processes.here.getLock("k");
    assertThat(
            holdsUntilTheOtherIsServed(
                i ->
                    lock.waitUpTo(LONG)
                        .leaseFor(LEASE.plusSeconds(i % 7 == 0 ? 1 : 0))
                        .acquireAsync()))
        .isLessThanOrEqualTo(lock.config().handoffLimit());
  }

  @Test
  void aProcessWhoseThreadsRenewInDifferentWaysLetsOthersIn() {
    DistributedLock thirty = processes.here.getLock("k");
    DistributedLock twenty =
        processes.here.getLock(LockConfig.builder().lockKey("k").leaseTime(20).build());
    assertThat(
            holdsUntilTheOtherIsServed(
                i -> i % 2 == 0 ? thirty.acquireAsync() : twenty.acquireAsync()))
        .isLessThanOrEqualTo(thirty.config().handoffLimit());
  }

  @Test
  void aProcessThatMixesRenewedLocksWithLeasesLetsOthersIn() {
    DistributedLock lock = processes.here.getLock("k");
    assertThat(
            holdsUntilTheOtherIsServed(
                i ->
                    i % 2 == 0
                        ? lock.acquireAsync()
                        : lock.waitUpTo(LONG).leaseFor(LEASE).acquireAsync()))
        .isLessThanOrEqualTo(lock.config().handoffLimit());
  }

  @Test
  void aProcessWithALimitThatIsNeverReachedLetsOthersInWhenItsTokensAreUsedUp() {
    DistributedLock generous =
        processes.here.getLock(
            LockConfig.builder().lockKey("k").handoffLimit(1_000_000).handoffTime(LONG).build());
    assertThat(holdsUntilTheOtherIsServed(i -> generous.acquireAsync())).isLessThan(FAR_TOO_MANY);
  }

  /** Each holder here has the next one waiting behind it; another process waits all the time. */
  private int holdsUntilTheOtherIsServed(IntFunction<CompletableFuture<Lease>> nextHere) {
    Lease current = nextHere.apply(0).join();
    CompletableFuture<Lease> there = processes.there.getLock("k").acquireAsync();
    for (int holds = 1; holds < FAR_TOO_MANY; holds++) {
      CompletableFuture<Lease> next = nextHere.apply(holds);
      processes.clock.advance(Duration.ofNanos(100_000));
      current.close();
      if (there.isDone()) {
        there.join().close();
        next.join().close();
        return holds;
      }
      current = next.join();
    }
    current.close();
    return FAR_TOO_MANY;
  }

  @Test
  void aWaiterIsNotForgottenWhenARenewalIsAnsweredWithOlderNews() {
    DistributedLock lock = processes.here.getLock("k");
    Lease first = lock.acquire();
    HeldCall renewal = processes.store.holdNext("renew");
    processes.clock.advance(Duration.ofSeconds(11));
    Object nobodyWaits = ((CompletableFuture<?>) renewal.execute()).join();
    CompletableFuture<Lease> there = processes.there.getLock("k").acquireAsync();

    renewal.answer(nobodyWaits);
    CompletableFuture<Lease> next = lock.acquireAsync();
    first.close();

    assertThat(there).as("the time for handing on is over").isCompleted();
    there.join().close();
    next.join().close();
  }

  @Test
  void threadsThatLockWithALeaseOfTheirOwnLetOthersIn() throws InterruptedException {
    MemoryStore store = new MemoryStore(TimeSource.system());
    AtomicBoolean enough = new AtomicBoolean();
    List<OtherThread> threads = new ArrayList<>();
    try (LockManager here = manager(store);
        LockManager there = manager(store)) {
      List<Future<Boolean>> working = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        OtherThread thread = new OtherThread("worker-" + i);
        threads.add(thread);
        working.add(thread.startRun(() -> lockAgainAndAgain(here.getLock("k"), enough)));
      }
      DistributedLock lock = there.getLock("k");
      for (int turn = 0; turn < 5; turn++) {
        assertThat(lock.tryLock(Duration.ofMinutes(2))).as("turn %d", turn).isTrue();
        lock.unlock();
      }
      enough.set(true);
      working.forEach(OtherThread::get);
    } finally {
      enough.set(true);
      threads.forEach(OtherThread::close);
    }
  }

  private static void lockAgainAndAgain(DistributedLock lock, AtomicBoolean enough) {
    while (!enough.get()) {
      lock.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
      LockSupport.parkNanos(100_000); // some work
      lock.unlock();
    }
  }

  private static LockManager manager(MemoryStore store) {
    return LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
  }
}
