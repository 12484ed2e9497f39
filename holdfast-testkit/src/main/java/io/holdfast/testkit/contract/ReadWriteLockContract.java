package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.LockManagerClosedException;
import io.holdfast.StoreException;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What every engine owes the read-write lock. */
public abstract class ReadWriteLockContract extends EngineContract
    implements ReadWriteSidesContract {

  /** For subclasses. */
  protected ReadWriteLockContract() {}

  private DistributedReadWriteLock readWrite() {
    return manager().getReadWriteLock(key());
  }

  private DistributedLock read() {
    return readWrite().readLock();
  }

  private DistributedLock write() {
    return readWrite().writeLock();
  }

  private DistributedLock readElsewhere() {
    return otherManager().getReadWriteLock(key()).readLock();
  }

  private DistributedLock writeElsewhere() {
    return otherManager().getReadWriteLock(key()).writeLock();
  }

  private int holdersInStore() {
    return readWrite().info().holders().size();
  }

  @Test
  void readersOfAllProcessesReadTogetherAndKeepWritersOut() {
    read().lock();
    readElsewhere().lock();
    assertThat(read().isHeldByCurrentThread()).isTrue();
    assertThat(readElsewhere().isHeldByCurrentThread()).isTrue();
    assertThat(read().isLocked()).isTrue();
    assertThat(write().isLocked()).isFalse();
    OtherThread other = otherThread();
    assertThat(other.check(() -> write().tryLock())).isFalse();
    assertThat(other.check(() -> writeElsewhere().tryLock())).isFalse();
    read().unlock();
    assertThat(other.check(() -> write().tryLock())).isFalse();
    readElsewhere().unlock();
    assertThat(other.check(() -> write().tryLock())).isTrue();
    other.run(() -> write().unlock());
  }

  @Test
  void aWriterKeepsEverybodyOut() {
    write().lock();
    assertThat(write().isLocked()).isTrue();
    OtherThread other = otherThread();
    assertThat(other.check(() -> read().tryLock())).isFalse();
    assertThat(other.check(() -> write().tryLock())).isFalse();
    assertThat(readElsewhere().tryLock()).isFalse();
    assertThat(writeElsewhere().tryLock()).isFalse();
    write().unlock();
    assertThat(readElsewhere().tryLock()).isTrue();
    readElsewhere().unlock();
  }

  @Test
  void readersOfOneProcessShareOneEntryInTheStore() {
    read().lock();
    OtherThread other = otherThread();
    other.run(() -> read().lock());
    try (Lease third = read().acquire()) {
      assertThat(third.isValid()).isTrue();
      assertThat(holdersInStore()).isEqualTo(1);
      assertThat(third.token()).isGreaterThan(read().fencingToken());
    }
    read().unlock();
    assertThat(holdersInStore()).isEqualTo(1);
    other.run(() -> read().unlock());
    assertThat(holdersInStore()).isZero();
  }

  @Test
  void aReaderThatGivesUpLeavesItsPlaceToTheReaderBehindIt() {
    writeElsewhere().lock();
    OtherThread leaving = otherThread();
    Future<Boolean> left = leaving.startRun(() -> read().lockInterruptibly());
    eventually().until(() -> readWrite().info().waiters().size() == 1);
    Future<Boolean> behind = otherThread().startRun(() -> read().lock());
    eventually().until(() -> readWrite().info().localWaiters() == 1);
    DistributedLock last = anotherManager().getReadWriteLock(key()).writeLock();
    Future<Boolean> writes =
        otherThread()
            .startRun(
                () -> {
                  last.lock();
                  last.unlock();
                });
    eventually().until(() -> readWrite().info().waiters().size() == 2);

    leaving.interrupt();
    assertThatThrownBy(() -> OtherThread.get(left))
        .hasRootCauseInstanceOf(InterruptedException.class);
    assertThat(readWrite().info().waiters())
        .extracting(LockInfo.Waiter::application)
        .containsExactly("first", "third");
    writeElsewhere().unlock();
    assertThat(OtherThread.get(behind)).as("reads before the writer that came after it").isTrue();
    assertThat(writes.isDone()).isFalse();
    manager().close(); // gives back what the reader holds
    assertThat(OtherThread.get(writes)).isTrue();
  }

  @Test
  void bothSidesAreReentrant() {
    read().lock();
    read().lock();
    assertThat(read().getHoldCount()).isEqualTo(2);
    read().unlock();
    assertThat(read().isHeldByCurrentThread()).isTrue();
    read().unlock();
    assertThat(holdersInStore()).isZero();
    write().lock();
    write().lock();
    assertThat(write().getHoldCount()).isEqualTo(2);
    write().unlock();
    assertThat(readElsewhere().tryLock()).isFalse();
    write().unlock();
    assertThat(holdersInStore()).isZero();
  }

  @Test
  void aReaderEntersAgainWhileAWriterWaits() {
    read().lock();
    OtherThread other = otherThread();
    Future<Boolean> writer = other.startRun(() -> write().lock());
    eventually().until(() -> readWrite().info().localWaiters() == 1);
    read().lock(); // must not wait behind the writer, who waits for it
    read().unlock();
    read().unlock();
    OtherThread.get(writer);
    other.run(() -> write().unlock());
  }

  @Test
  void aWriterMayReadAndGoOnReadingWithoutLettingAWriterInBetween() {
    write().lock();
    read().lock();
    OtherThread other = otherThread();
    Future<Boolean> writer = other.startRun(() -> writeElsewhere().lock());
    eventually().until(() -> readWrite().info().waiters().size() == 1);
    write().unlock();
    assertThat(read().isHeldByCurrentThread()).isTrue();
    assertThat(write().isHeldByCurrentThread()).isFalse();
    assertThat(writer).isNotDone();
    assertThat(readWrite().info().holders())
        .extracting(LockInfo.Holder::claim)
        .containsExactly("read");
    read().unlock();
    OtherThread.get(writer);
    other.run(() -> writeElsewhere().unlock());
  }

  @Test
  void afterADowngradeOthersReadToo() {
    write().lock();
    read().lock();
    write().unlock();
    assertThat(readElsewhere().tryLock()).isTrue();
    OtherThread other = otherThread();
    assertThat(other.check(() -> read().tryLock())).isTrue();
    other.run(() -> read().unlock());
    readElsewhere().unlock();
    read().unlock();
  }

  @Test
  void readingInsideWritingMayEndFirst() {
    write().lock();
    read().lock();
    read().unlock();
    assertThat(write().isHeldByCurrentThread()).isTrue();
    assertThat(readElsewhere().tryLock()).isFalse();
    write().unlock();
    assertThat(holdersInStore()).isZero();
  }

  @Test
  void anUpgradeIsRefusedInsteadOfWaitingForEver() throws Exception {
    read().lock();
    assertThatThrownBy(() -> write().lock())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("unlock the read lock first");
    assertThatThrownBy(() -> write().tryLock(1, TimeUnit.SECONDS))
        .isInstanceOf(IllegalStateException.class);
    assertThat(read().isHeldByCurrentThread()).isTrue();
    read().unlock();
    write().lock();
    write().unlock();
  }

  @Test
  void aWaitingWriterIsNotOvertakenByReaders() {
    read().lock();
    OtherThread other = otherThread();
    Future<Boolean> writer = other.startRun(() -> writeElsewhere().lock());
    eventually().until(() -> readWrite().info().waiters().size() == 1);
    assertThat(anotherManager().getReadWriteLock(key()).readLock().tryLock()).isFalse();
    read().unlock();
    OtherThread.get(writer);
    other.run(() -> writeElsewhere().unlock());
  }

  @Test
  void readersOfOneProcessThatFollowEachOtherDoNotStarveAWriterOfAnother() throws Exception {
    AtomicBoolean written = new AtomicBoolean();
    List<Future<Boolean>> readers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      readers.add(
          otherThread()
              .startRun(
                  () -> {
                    while (!written.get()) {
                      read().lock();
                      read().unlock();
                    }
                  }));
    }
    eventually().until(() -> holdersInStore() == 1);
    try {
      assertThat(writeElsewhere().tryLock(PATIENCE)).isTrue();
      writeElsewhere().unlock();
    } finally {
      written.set(true);
    }
    readers.forEach(OtherThread::get);
  }

  @Test
  void whereReadersArePreferredTheyOvertakeAWaitingWriter() {
    LockConfig config = LockConfig.builder().lockKey(key()).build();
    DistributedLock firstReader = manager().getReadWriteLock(config, true).readLock();
    firstReader.lock();
    OtherThread other = otherThread();
    Future<Boolean> writer = other.startRun(() -> writeElsewhere().lock());
    eventually().until(() -> readWrite().info().waiters().size() == 1);
    DistributedLock secondReader = anotherManager().getReadWriteLock(config, true).readLock();
    assertThat(secondReader.tryLock()).isTrue();
    secondReader.unlock();
    OtherThread sameProcess = otherThread();
    assertThat(sameProcess.check(() -> firstReader.tryLock())).isTrue();
    sameProcess.run(firstReader::unlock);
    firstReader.unlock();
    OtherThread.get(writer);
    other.run(() -> writeElsewhere().unlock());
  }

  @Test
  void noUpdateIsLostAndNoReaderSeesAHalfDoneOne() {
    int[] pair = {0, 0};
    AtomicInteger reads = new AtomicInteger();
    AtomicInteger writes = new AtomicInteger();
    List<Future<Boolean>> all = new ArrayList<>();
    long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
    for (LockManager manager : List.of(manager(), otherManager(), anotherManager())) {
      DistributedReadWriteLock lock = manager.getReadWriteLock(key());
      for (int i = 0; i < 2; i++) {
        all.add(
            otherThread()
                .startRun(
                    () -> {
                      while (System.nanoTime() - end < 0
                          || reads.get() <= 20
                          || writes.get() <= 20) {
                        lock.readLock().lock();
                        assertThat(pair[0]).isEqualTo(pair[1]);
                        reads.incrementAndGet();
                        lock.readLock().unlock();
                      }
                    }));
      }
      all.add(
          otherThread()
              .startRun(
                  () -> {
                    while (System.nanoTime() - end < 0 || reads.get() <= 20 || writes.get() <= 20) {
                      lock.writeLock().lock();
                      pair[0]++;
                      pair[1]++;
                      writes.incrementAndGet();
                      lock.writeLock().unlock();
                    }
                  }));
    }
    all.forEach(OtherThread::get);
    assertThat(pair[0]).isEqualTo(writes.get());
  }

  @Test
  void aDeadReaderLosesItsShareWhileOthersGoOnReading() throws InterruptedException {
    Lease living = manager().getReadWriteLock(quick(), false).readLock().acquire();
    Lease dead =
        otherManager().getReadWriteLock(quick(), false).readLock().leaseFor(SHORT_LEASE).acquire();
    eventually().until(() -> holdersInStore() == 1);
    assertThat(living.isValid()).isTrue();
    assertThat(dead.isValid()).isFalse();
    living.close();
    assertThatThrownBy(dead::close).isInstanceOf(LockLostException.class);
    write().lock();
    write().unlock();
  }

  @Test
  void aWaitingWriterIsServedWhenTheLeaseOfADeadReaderEnds() throws Exception {
    Lease dead =
        otherManager()
            .getReadWriteLock(lasting(), false)
            .readLock()
            .leaseFor(SHORT_LEASE)
            .acquire();
    DistributedLock write = manager().getReadWriteLock(lasting(), false).writeLock();
    assertThat(write.tryLock(PATIENCE)).isTrue();
    assertThat(write.fencingToken()).isGreaterThan(dead.token());
    assertThat(dead.isValid()).isFalse();
    write.unlock();
  }

  @Test
  void everyReaderOfAProcessIsToldWhenItsShareIsLost() throws Exception {
    DistributedLock read = manager().getReadWriteLock(quick(), false).readLock();
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    read.lock();
    Lease handle = read.acquire().onLost(losses::add);
    read.onLost(losses::add);
    store().removeByHand(key());
    for (int i = 0; i < 3; i++) {
      assertThat(losses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(read.isHeldByCurrentThread()).isFalse();
    assertThat(handle.isValid()).isFalse();
    assertThatThrownBy(read::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(read::unlock).isExactlyInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
    write().lock();
    write().unlock();
  }

  @Test
  void aLostWriteLockIsReportedAndCanBeTakenAgain() {
    DistributedLock write = manager().getReadWriteLock(quick(), false).writeLock();
    write.lock();
    write.lock();
    store().removeByHand(key());
    eventually().until(() -> !write.isHeldByCurrentThread());
    assertThatThrownBy(write::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(write::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(write::unlock).isExactlyInstanceOf(IllegalMonitorStateException.class);
    write.lock();
    write.unlock();
  }

  @Test
  void waitersThatGiveUpLeaveNothingBehind() throws Exception {
    writeElsewhere().lock();
    assertThat(read().tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(write().tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
    CompletableFuture<Lease> reader = read().acquireAsync();
    CompletableFuture<Lease> second = read().acquireAsync();
    CompletableFuture<Lease> writer = write().acquireAsync();
    eventually().until(() -> readWrite().info().waiters().size() == 1);
    reader.cancel(false); // the one who asked the store for both of them
    eventually().until(() -> readWrite().info().localWaiters() == 1);
    second.cancel(false);
    writer.cancel(false);
    OtherThread other = otherThread();
    Future<Boolean> interrupted = other.startRun(() -> read().lockInterruptibly());
    eventually().until(() -> readWrite().info().waiters().size() == 1);
    other.interrupt();
    assertThatThrownBy(() -> OtherThread.get(interrupted))
        .hasCauseInstanceOf(InterruptedException.class);
    eventually().until(() -> readWrite().info().waiters().isEmpty());
    writeElsewhere().unlock();
    assertThat(write().tryLock()).isTrue();
    write().unlock();
  }

  @Test
  void asyncReadersAndWritersComeToTheirTurn() {
    int[] counter = {0};
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      DistributedLock side = i % 4 == 0 ? write() : read();
      boolean writing = i % 4 == 0;
      all.add(
          side.acquireAsync()
              .thenCompose(
                  lease -> {
                    if (writing) {
                      counter[0]++;
                    }
                    return lease.closeAsync();
                  }));
    }
    all.forEach(OtherThread::get);
    assertThat(counter[0]).isEqualTo(25);
  }

  @Test
  void closingAManagerGivesItsSharesBackAndEndsItsWaiters() {
    LockManager closing = store().newManager().build();
    DistributedReadWriteLock lock = closing.getReadWriteLock(key());
    Lease reading = lock.readLock().acquire();
    CompletableFuture<Lease> writing = lock.writeLock().acquireAsync();
    CompletableFuture<Lease> behind = lock.readLock().acquireAsync();
    closing.close();
    assertThat(reading.isValid()).isFalse();
    assertThatThrownBy(() -> OtherThread.get(writing))
        .isInstanceOf(LockManagerClosedException.class);
    assertThatThrownBy(() -> OtherThread.get(behind))
        .isInstanceOf(LockManagerClosedException.class);
    assertFreedByClose(each -> each.getReadWriteLock(key()).writeLock());
    assertFreedByClose(each -> each.getReadWriteLock(key()).readLock());
  }

  @Test
  void unlockingWhatIsNotHeldIsAnErrorAndChangesNothing() {
    read().lock();
    assertThatThrownBy(() -> write().unlock())
        .isExactlyInstanceOf(IllegalMonitorStateException.class);
    OtherThread other = otherThread();
    assertThatThrownBy(() -> other.run(() -> read().unlock()))
        .isExactlyInstanceOf(IllegalMonitorStateException.class);
    assertThat(read().isHeldByCurrentThread()).isTrue();
    read().unlock();
  }

  @Test
  void forcingItOpenTellsEveryHolder() {
    Lease mine = read().acquire();
    Lease theirs = readElsewhere().acquire();
    assertThat(readElsewhere().forceUnlock()).isTrue();
    eventually().until(() -> !mine.isValid() && !theirs.isValid());
    assertThat(write().tryLock()).isTrue();
    write().unlock();
  }

  @Test
  void aKeyThatIsALockCannotBeAReadWriteLockAsWell() {
    manager().getLock(key()).lock();
    assertThatThrownBy(() -> readElsewhere().tryLock()).isInstanceOf(StoreException.class);
    manager().getLock(key()).unlock();
    read().lock();
    assertThatThrownBy(() -> otherManager().getLock(key()).tryLock())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("read-write");
    read().unlock();
  }

  @Test
  void theReadInsideALostWriteIsToldToo() {
    DistributedReadWriteLock lock = manager().getReadWriteLock(quick(), false);
    lock.writeLock().lock();
    lock.readLock().lock();
    store().removeByHand(key());
    eventually().until(() -> !lock.readLock().isHeldByCurrentThread());
    writeElsewhere().lock();
    assertThat(lock.readLock().tryLock()).as("beside a writer of another process").isFalse();
    writeElsewhere().unlock();
    assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(LockLostException.class);
    assertThatThrownBy(() -> lock.writeLock().unlock()).isInstanceOf(LockLostException.class);
    lock.writeLock().lock();
    lock.writeLock().unlock();
  }

  @Test
  void aWriterThatGaveUpDoesNotKeepReadersOut() throws Exception {
    read().lock();
    assertThat(writeElsewhere().tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
    eventually().until(() -> readWrite().info().waiters().isEmpty());
    OtherThread other = otherThread();
    assertThat(other.check(() -> read().tryLock(PATIENCE))).isTrue();
    other.run(() -> read().unlock());
    read().unlock();
  }

  @Test
  void aThreadThatReadsGetsAReadHandleThoughAWriterWaits() {
    read().lock();
    OtherThread other = otherThread();
    Future<Boolean> writer = other.startRun(() -> write().lock());
    eventually().until(() -> readWrite().info().localWaiters() == 1);
    read().acquire().close();
    read().unlock();
    OtherThread.get(writer);
    other.run(() -> write().unlock());
  }

  // ---- a write lock that is passed on inside a process

  private AtomicInteger handoffs() {
    AtomicInteger handoffs = new AtomicInteger();
    manager()
        .addListener(
            event -> {
              if (event.detail().equals("handed on")) {
                handoffs.incrementAndGet();
              }
            });
    return handoffs;
  }

  @Test
  void threadsPassTheWriteLockOnWithGrowingTokens() {
    AtomicInteger handoffs = handoffs();
    List<Long> tokens = new ArrayList<>(); // guarded by the lock
    List<Future<Boolean>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          otherThread()
              .startRun(
                  () -> {
                    for (int turn = 0; turn < 50; turn++) {
                      write().lock();
                      tokens.add(write().fencingToken());
                      LockSupport.parkNanos(100_000); // so that others come to wait
                      write().unlock();
                    }
                  }));
    }
    threads.forEach(OtherThread::get);
    assertThat(tokens).hasSize(200).isSorted().doesNotHaveDuplicates();
    eventually().until(() -> handoffs.get() > 0);
    assertThat(holdersInStore()).isZero();
  }

  @Test
  void writersOfOneProcessThatFollowEachOtherDoNotStarveAnother() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    List<Future<Boolean>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      DistributedLock side = i == 0 ? read() : write();
      threads.add(
          otherThread()
              .startRun(
                  () -> {
                    while (!stop.get()) {
                      side.lock();
                      LockSupport.parkNanos(5_000_000); // longer than tokens would bound it
                      side.unlock();
                    }
                  }));
    }
    try {
      eventually().until(() -> readWrite().info().localWaiters() > 0);
      for (int i = 0; i < 5; i++) {
        assertThat(writeElsewhere().tryLock(PATIENCE)).isTrue();
        writeElsewhere().unlock();
        assertThat(readElsewhere().tryLock(PATIENCE)).isTrue();
        readElsewhere().unlock();
      }
    } finally {
      stop.set(true);
    }
    threads.forEach(OtherThread::get);
    assertThat(holdersInStore()).isZero();
  }

  /** Waits in the queue of this process, behind so many. */
  private Future<Boolean> queued(OtherThread thread, DistributedLock side, int before) {
    Future<Boolean> queued = thread.startRun(side::lock);
    eventually().until(() -> readWrite().info().localWaiters() == before + 1);
    return queued;
  }

  @Test
  void readersBehindAWriterReadTogetherAndTheNextWriterFollowsThem() {
    write().lock();
    OtherThread first = otherThread();
    OtherThread second = otherThread();
    OtherThread writer = otherThread();
    Future<Boolean> firstReads = queued(first, read(), 0);
    Future<Boolean> secondReads = queued(second, read(), 1);
    Future<Boolean> writes = queued(writer, write(), 2);
    long token = write().fencingToken();
    write().unlock();
    OtherThread.get(firstReads);
    OtherThread.get(secondReads);
    assertThat(writes).isNotDone();
    assertThat(first.call(() -> read().fencingToken())).isGreaterThan(token);
    first.run(() -> read().unlock());
    assertThat(writes).isNotDone();
    long last = second.call(() -> read().fencingToken());
    second.run(() -> read().unlock());
    OtherThread.get(writes);
    assertThat(writer.call(() -> write().fencingToken())).isGreaterThan(last);
    writer.run(() -> write().unlock());
    assertThat(holdersInStore()).isZero();
  }

  @Test
  void aReaderOfAnotherProcessComesInBesideReadersThatFollowedAWriter() throws Exception {
    write().lock();
    OtherThread reader = otherThread();
    OtherThread writer = otherThread();
    Future<Boolean> reads = queued(reader, read(), 0);
    Future<Boolean> writes = queued(writer, write(), 1);
    write().unlock();
    OtherThread.get(reads);
    assertThat(readElsewhere().tryLock(PATIENCE)).isTrue();
    reader.run(() -> read().unlock());
    assertThat(writes).as("beside a reader of another process").isNotDone();
    readElsewhere().unlock();
    OtherThread.get(writes);
    writer.run(() -> write().unlock());
    assertThat(holdersInStore()).isZero();
  }

  @Test
  void whenTheWriterBehindReadersGivesUpOthersMayReadAtOnce() {
    write().lock();
    OtherThread reader = otherThread();
    Future<Boolean> reads = queued(reader, read(), 0);
    CompletableFuture<Lease> writes = write().acquireAsync();
    eventually().until(() -> readWrite().info().localWaiters() == 2);
    write().unlock();
    OtherThread.get(reads);
    writes.cancel(false);
    eventually().until(() -> readElsewhere().tryLock());
    readElsewhere().unlock();
    reader.run(() -> read().unlock());
    assertThat(write().tryLock()).isTrue();
    write().unlock();
  }

  @Test
  void aWriterThatLeavesWhenItIsPassedTheLockPassesItOn() {
    OtherThread closer = otherThread();
    for (int i = 0; i < 30; i++) {
      Lease held = write().acquire();
      CompletableFuture<Lease> leaving = write().acquireAsync();
      CompletableFuture<Lease> behind = write().acquireAsync();
      eventually().until(() -> readWrite().info().localWaiters() == 2);
      Future<Boolean> closing = closer.startRun(held::close);
      leaving.cancel(false);
      if (!leaving.isCancelled()) {
        leaving.join().close();
      }
      OtherThread.get(behind).close();
      OtherThread.get(closing);
    }
    eventually().until(() -> holdersInStore() == 0);
  }

  @Test
  void whoeverWasPassedTheWriteLockIsToldWhenItIsGone() {
    DistributedLock write = manager().getReadWriteLock(quick(), false).writeLock();
    Lease first = write.acquire();
    CompletableFuture<Lease> second = write.acquireAsync();
    eventually().until(() -> readWrite().info().localWaiters() == 1);
    first.close();
    Lease passedOn = OtherThread.get(second);
    store().removeByHand(key());
    eventually().until(() -> !passedOn.isValid());
    assertThatThrownBy(passedOn::close).isInstanceOf(LockLostException.class);
    write.lock();
    write.unlock();
  }

  @Test
  void aWriteLockWithALeaseOfItsOwnIsNotPassedOn() throws InterruptedException {
    AtomicInteger handoffs = handoffs();
    Lease own = write().leaseFor(Duration.ofMinutes(1)).acquire();
    CompletableFuture<Lease> renewed = write().acquireAsync();
    eventually().until(() -> readWrite().info().localWaiters() == 1);
    own.close();
    Lease next = OtherThread.get(renewed);
    assertThat(next.token()).isGreaterThan(own.token());
    assertThat(next.isValid()).isTrue();
    next.close();
    assertThat(handoffs.get()).isZero();
  }
}
