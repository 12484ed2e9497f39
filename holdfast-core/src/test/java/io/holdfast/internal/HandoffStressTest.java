package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockInfo;
import io.holdfast.LockManager;
import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Threads of two processes that come, wait for a short time or a long one, leave at the wrong
 * moment and pass on what they have. Never are more inside than may be, everyone comes to an end,
 * and nothing is left behind.
 */
@Timeout(600)
@Isolated
class HandoffStressTest {
  private static final int THREADS = 6;
  private static final int TURNS = 600;
  private static final int PERMITS = 3;

  private final MemoryStore store = new MemoryStore(TimeSource.system());
  private final List<LockManager> managers = List.of(manager(), manager());
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private LockManager manager() {
    return LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    managers.forEach(LockManager::close);
  }

  private interface Turn {
    void take(LockManager manager, Random random) throws Exception;
  }

  private void run(Turn turn) throws Exception {
    List<Future<?>> all = new ArrayList<>();
    for (LockManager manager : managers) {
      for (int i = 0; i < THREADS; i++) {
        Random random = new Random(all.size());
        all.add(
            threads.submit(
                () -> {
                  for (int done = 0; done < TURNS; done++) {
                    turn.take(manager, random);
                  }
                  return null;
                }));
      }
    }
    for (Future<?> each : all) {
      each.get(100, TimeUnit.SECONDS);
    }
  }

  private static @Nullable Lease cancelledSoon(CompletableFuture<Lease> coming, Random random) {
    if (random.nextBoolean()) {
      Thread.onSpinWait();
    }
    coming.cancel(false);
    return coming.isCancelled() ? null : coming.join();
  }

  @Test
  void permitsAreNeverMoreThanThereAreAndNoneIsLost() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    run(
        (manager, random) -> {
          LockConfig config =
              LockConfig.builder().lockKey("permits").fair(random.nextInt(20) == 0).build();
          DistributedSemaphore semaphore = manager.getSemaphore(config, PERMITS);
          int wanted = random.nextInt(10) == 0 ? PERMITS : 1;
          Lease lease =
              switch (random.nextInt(8)) {
                case 0 -> semaphore.tryAcquire(wanted).orElse(null);
                case 1 -> semaphore.tryAcquire(wanted, Duration.ofNanos(50_000)).orElse(null);
                case 2 -> cancelledSoon(semaphore.acquireAsync(wanted), random);
                case 3 -> semaphore.permits(wanted).leaseFor(Duration.ofSeconds(30)).acquire();
                default -> semaphore.acquire(wanted);
              };
          if (lease != null) {
            most.accumulateAndGet(inside.addAndGet(wanted), Math::max);
            if (random.nextInt(4) == 0) {
              LockSupport.parkNanos(1);
            }
            inside.addAndGet(-wanted);
            lease.close();
          }
        });
    assertThat(most.get()).isEqualTo(PERMITS);
    DistributedSemaphore semaphore = managers.get(0).getSemaphore("permits", PERMITS);
    await().until(() -> isUnused(semaphore.info()));
    assertThat(semaphore.availablePermits()).isEqualTo(PERMITS);
  }

  @Test
  void aWriterIsAlwaysAloneAndNothingIsLost() throws Exception {
    AtomicInteger readers = new AtomicInteger();
    AtomicInteger writers = new AtomicInteger();
    AtomicInteger wrong = new AtomicInteger();
    run(
        (manager, random) -> {
          boolean preferReaders = random.nextInt(20) == 0;
          LockConfig config = LockConfig.builder().lockKey("rw").build();
          DistributedReadWriteLock lock = manager.getReadWriteLock(config, preferReaders);
          boolean write = random.nextInt(3) == 0;
          DistributedLock side = write ? lock.writeLock() : lock.readLock();
          Lease lease =
              switch (random.nextInt(8)) {
                case 0 -> side.tryAcquire().orElse(null);
                case 1 -> side.tryAcquire(Duration.ofNanos(50_000)).orElse(null);
                case 2 -> cancelledSoon(side.acquireAsync(), random);
                case 3 -> side.leaseFor(Duration.ofSeconds(30)).acquire();
                default -> side.acquire();
              };
          if (lease != null) {
            (write ? writers : readers).incrementAndGet();
            boolean alone = writers.get() == 0 || (writers.get() == 1 && readers.get() == 0);
            if (!alone) {
              wrong.incrementAndGet();
            }
            if (random.nextInt(4) == 0) {
              LockSupport.parkNanos(1);
            }
            (write ? writers : readers).decrementAndGet();
            lease.close();
          }
        });
    assertThat(wrong.get()).isZero();
    DistributedReadWriteLock lock = managers.get(0).getReadWriteLock("rw");
    await().until(() -> isUnused(lock.info()));
  }

  private static boolean isUnused(LockInfo info) {
    return info.holders().isEmpty() && info.waiters().isEmpty() && info.localWaiters() == 0;
  }
}
