package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What one side of a read-write lock is asked, and told, without the other being meant. */
@SuppressWarnings("LockNotBeforeTry") // what happens without is what is tested
interface ReadWriteSidesContract extends ContractFixture {
  private DistributedReadWriteLock lock(int process) {
    return (process == 1 ? manager() : otherManager()).getReadWriteLock(key());
  }

  private DistributedLock read(int process) {
    return lock(process).readLock();
  }

  private DistributedLock write(int process) {
    return lock(process).writeLock();
  }

  private int entries() {
    return lock(1).info().holders().stream().mapToInt(LockInfo.Holder::holdCount).sum();
  }

  @Test
  default void forcingTheWriteLockLeavesReadersAlone() {
    read(1).lock();
    Lease theirs = read(2).acquire();
    assertThat(write(2).isLocked()).isFalse();
    assertThat(write(2).forceUnlock()).isFalse();
    assertThat(write(1).forceUnlock()).isFalse();
    assertThat(lock(1).info().holders()).hasSize(2);
    read(1).unlock(); // throws if it was lost
    theirs.close();
    assertThat(write(2).tryLock()).isTrue();
    write(2).unlock();
  }

  @Test
  default void forcingTheReadLockLeavesAWriterAloneWhoMayAlsoRead() {
    write(1).lock();
    read(1).lock();
    assertThat(read(2).isLocked()).isFalse();
    assertThat(read(2).forceUnlock()).isFalse();
    assertThat(read(1).forceUnlock()).isFalse();
    read(1).unlock();
    write(1).unlock();
  }

  @Test
  default void forcingTheWriteLockTellsTheWriterAndServesThoseWhoWait() {
    Lease written = write(1).acquire();
    OtherThread other = otherThread();
    Future<Boolean> reads = other.startRun(() -> read(2).lock());
    eventually().until(() -> lock(1).info().waiters().size() == 1);
    assertThat(write(2).forceUnlock()).isTrue();
    eventually().until(() -> !written.isValid());
    OtherThread.get(reads);
    assertThat(write(2).forceUnlock()).isFalse();
    other.run(() -> read(2).unlock());
  }

  @Test
  default void readersThatFollowedAWriterOfTheirProcessCanBeForcedThereAsReaders() {
    write(1).lock();
    OtherThread reader = otherThread();
    OtherThread writer = otherThread();
    Future<Boolean> reads = reader.startRun(() -> read(1).lock());
    eventually().until(() -> lock(1).info().localWaiters() == 1);
    Future<Boolean> writes = writer.startRun(() -> write(1).lock());
    eventually().until(() -> lock(1).info().localWaiters() == 2);
    write(1).unlock();
    OtherThread.get(reads);
    assertThat(write(1).forceUnlock()).isFalse();
    assertThat(read(1).forceUnlock()).isTrue();
    OtherThread.get(writes);
    writer.run(() -> write(1).unlock());
  }

  @Test
  default void anImmediateTryOfAnUpgradeIsFalse() throws Exception {
    read(1).lock();
    assertThat(write(1).tryLock()).isFalse();
    assertThat(write(1).tryLock(0, TimeUnit.SECONDS)).isFalse();
    assertThat(write(1).tryLock(Duration.ofSeconds(-1))).isFalse();
    assertThat(write(1).tryAcquire()).isEmpty();
    assertThat(read(1).isHeldByCurrentThread()).isTrue();
    read(1).unlock();
    assertThat(write(1).tryLock()).isTrue();
    write(1).unlock();
  }

  @Test
  default void infoCountsHowOftenThisProcessHasEntered() {
    read(1).lock();
    read(1).lock();
    assertThat(entries()).isEqualTo(2);
    OtherThread other = otherThread();
    other.run(() -> read(1).lock());
    assertThat(entries()).isEqualTo(3);
    Lease handle = read(1).acquire();
    assertThat(entries()).isEqualTo(4);
    handle.close();
    other.run(() -> read(1).unlock());
    read(1).unlock();
    assertThat(entries()).isEqualTo(1);
    read(1).unlock();
    write(1).lock();
    write(1).lock();
    assertThat(entries()).isEqualTo(2);
    read(1).lock();
    assertThat(entries()).isEqualTo(3);
    read(1).unlock();
    write(1).unlock();
    write(1).unlock();
    assertThat(entries()).isZero();
  }
}
