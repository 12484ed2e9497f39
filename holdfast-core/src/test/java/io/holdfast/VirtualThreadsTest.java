package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.parallel.Isolated;

/** Locks and handles on virtual threads, of which there may be many. We compile for Java 17. */
@Tag("virtual-threads")
@EnabledForJreRange(min = JRE.JAVA_21)
@Timeout(600)
@Isolated
class VirtualThreadsTest {
  private static final int THREADS = 10_000;
  private static final int KEYS = 5;

  private final LockManager manager = LockManager.create("memory:virtual-threads");
  private ExecutorService virtualThreads = Executors.newSingleThreadExecutor();

  @BeforeEach
  void startVirtualThreads() throws ReflectiveOperationException {
    virtualThreads.shutdown();
    virtualThreads =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }

  @AfterEach
  void stop() throws InterruptedException {
    virtualThreads.shutdown();
    assertThat(virtualThreads.awaitTermination(120, TimeUnit.SECONDS)).isTrue();
    manager.close();
  }

  @Test
  void tenThousandOfThemLoseNoUpdateUnderLock() throws Exception {
    int[] counters = new int[KEYS];
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int key = i % KEYS;
      all.add(
          virtualThreads.submit(
              () -> {
                assertThat(isVirtual(Thread.currentThread())).isTrue();
                DistributedLock lock = manager.getLock("counter-" + key);
                lock.lock();
                try {
                  lock.lock(); // as reentrant as on any thread
                  counters[key]++;
                  lock.unlock();
                } finally {
                  lock.unlock();
                }
                return null;
              }));
    }

    for (Future<?> one : all) {
      one.get();
    }
    assertThat(counters).containsOnly(THREADS / KEYS);
  }

  @Test
  void handlesPassFromOneToTheNextAndAreClosedThere() throws Exception {
    DistributedLock lock = manager.getLock("k");
    int[] counter = new int[1];
    List<Future<Long>> all = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      CompletableFuture<Lease> passedOn = new CompletableFuture<>();
      virtualThreads.submit(() -> passedOn.complete(lock.acquire()));
      all.add(
          virtualThreads.submit(
              () -> {
                try (Lease lease = passedOn.get()) {
                  assertThat(lease.isValid()).isTrue();
                  counter[0]++;
                  return lease.token();
                }
              }));
    }

    List<Long> tokens = new ArrayList<>();
    for (Future<Long> one : all) {
      tokens.add(one.get());
    }
    assertThat(counter[0]).isEqualTo(1_000);
    assertThat(tokens).doesNotHaveDuplicates();
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  void aWaitIsInterruptedAndTimedAsOnAnyThread() throws Exception {
    DistributedLock lock = manager.getLock("k");
    try (Lease held = lock.acquire()) {
      Future<Boolean> timed = virtualThreads.submit(() -> lock.tryLock(Duration.ofMillis(20)));
      assertThat(timed.get()).isFalse();

      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      Future<?> waiting =
          virtualThreads.submit(
              () -> {
                try {
                  lock.lockInterruptibly();
                  interrupted.complete(false);
                } catch (InterruptedException e) {
                  interrupted.complete(true);
                }
              });
      await().until(() -> lock.info().localWaiters() == 1);
      waiting.cancel(true);
      assertThat(interrupted).succeedsWithin(Duration.ofMinutes(2)).isEqualTo(true);
      assertThat(held.isValid()).isTrue();
    }
  }

  private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
    return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
  }
}
