package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.ZooKeeperServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers that overtake writers, ordinary readers and writers at the same time. */
@Timeout(300)
class OvertakingTest {
  private static final int READS = 100;
  private static final int WRITES = 25;

  private final AtomicInteger readers = new AtomicInteger();
  private final AtomicInteger writers = new AtomicInteger();
  private final AtomicLong highestToken = new AtomicLong();
  private final AtomicLong lastWriteToken = new AtomicLong();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger writes = new AtomicInteger();

  @Test
  void aWriterHoldsAloneAndItsTokenExceedsAllEarlierOnes() throws Exception {
    LockConfig config = LockConfig.builder().lockKey("overtaking:" + UUID.randomUUID()).build();
    List<LockManager> managers = new ArrayList<>();
    List<OtherThread> threads = new ArrayList<>();
    List<Future<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      LockManager manager =
          LockManager.create("zookeeper://" + ZooKeeperServer.shared() + Patience.LASTING);
      managers.add(manager);
      boolean overtakes = i % 2 == 0;
      DistributedReadWriteLock lock = manager.getReadWriteLock(config, overtakes);
      boolean writing = i >= 4;
      OtherThread thread = new OtherThread("thread-" + i);
      threads.add(thread);
      all.add(
          thread.startRun(
              () -> {
                for (int turn = 0; turn < (writing ? WRITES : READS); turn++) {
                  if (writing) {
                    write(lock);
                  } else {
                    read(lock);
                  }
                  LockSupport.parkNanos(2_000_000); // so that a writer sometimes finds no reader
                }
              }));
    }
    for (Future<Boolean> each : all) {
      each.get(); // the time-out of the test is for all of them
    }
    threads.forEach(OtherThread::close);
    managers.forEach(LockManager::close);
    assertThat(reads.get()).isEqualTo(4 * READS);
    assertThat(writes.get()).isEqualTo(2 * WRITES);
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
