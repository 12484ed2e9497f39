package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testkit.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Readers that overtake writers, ordinary readers and writers, all at once. */
@Isolated
@Timeout(120)
class OvertakingTest {
  private final AtomicInteger readers = new AtomicInteger();
  private final AtomicInteger writers = new AtomicInteger();
  private final AtomicLong highestToken = new AtomicLong();
  private final AtomicLong lastWriteToken = new AtomicLong();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger writes = new AtomicInteger();

  @Test
  void aWriterIsAloneAndItsTokenIsAboveAllBeforeIt() {
    LockConfig config = LockConfig.builder().lockKey("overtaking:" + UUID.randomUUID()).build();
    List<LockManager> managers = new ArrayList<>();
    List<OtherThread> threads = new ArrayList<>();
    List<Future<Boolean>> all = new ArrayList<>();
    long end = System.nanoTime() + Duration.ofSeconds(6).toNanos();
    for (int i = 0; i < 6; i++) {
      LockManager manager = LockManager.create("zookeeper://" + ZooKeeperServer.shared());
      managers.add(manager);
      boolean overtakes = i % 2 == 0;
      DistributedReadWriteLock lock = manager.getReadWriteLock(config, overtakes);
      boolean writing = i >= 4;
      OtherThread thread = new OtherThread("thread-" + i);
      threads.add(thread);
      all.add(
          thread.startRun(
              () -> {
                while (System.nanoTime() - end < 0) {
                  if (writing) {
                    write(lock);
                  } else {
                    read(lock);
                  }
                  LockSupport.parkNanos(2_000_000); // so that writers find no reader now and then
                }
              }));
    }
    all.forEach(OtherThread::get);
    threads.forEach(OtherThread::close);
    managers.forEach(LockManager::close);
    assertThat(reads.get()).isGreaterThan(50);
    assertThat(writes.get()).isGreaterThan(10);
  }

  private void read(DistributedReadWriteLock lock) {
    try (Lease lease = lock.readLock().acquire()) {
      readers.incrementAndGet();
      assertThat(writers.get()).as("writers beside a reader").isZero();
      assertThat(lease.token()).isGreaterThan(lastWriteToken.get());
      highestToken.accumulateAndGet(lease.token(), Math::max);
      reads.incrementAndGet();
      LockSupport.parkNanos(1_000_000);
      assertThat(writers.get()).as("writers beside a reader").isZero();
      readers.decrementAndGet();
    }
  }

  private void write(DistributedReadWriteLock lock) {
    try (Lease lease = lock.writeLock().acquire()) {
      assertThat(writers.incrementAndGet()).as("writers").isEqualTo(1);
      assertThat(readers.get()).as("readers beside a writer").isZero();
      assertThat(lease.token()).isGreaterThan(highestToken.get());
      highestToken.set(lease.token());
      lastWriteToken.set(lease.token());
      writes.incrementAndGet();
      LockSupport.parkNanos(1_000_000);
      assertThat(readers.get()).as("readers beside a writer").isZero();
      writers.decrementAndGet();
    }
  }
}
