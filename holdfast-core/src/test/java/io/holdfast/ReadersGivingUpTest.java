package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers that give up at the same moment. */
@Timeout(600)
class ReadersGivingUpTest {
  /** Control: one after the other it works, in either order. */
  @Test
  void readersThatGiveUpOneAfterTheOther() throws Exception {
    MemoryBackendProvider engine = new MemoryBackendProvider(new MemoryStore(TimeSource.system()));
    try (LockManager theirs = LockManager.builder("memory:").engine(engine).build();
        LockManager ours = LockManager.builder("memory:").engine(engine).build();
        Lease writing = theirs.getReadWriteLock("rw").writeLock().acquire()) {
      DistributedLock read = ours.getReadWriteLock("rw").readLock();
      for (int i = 0; i < 200; i++) {
        CompletableFuture<Lease> first = read.acquireAsync();
        CompletableFuture<Lease> second = read.acquireAsync();
        CompletableFuture<Lease> third = read.acquireAsync();
        (i % 2 == 0 ? first : second).cancel(false);
        (i % 2 == 0 ? second : first).cancel(false);
        Thread.sleep(2);
        assertThat(third.isDone()).as("round " + i).isFalse();
        third.cancel(false);
      }
      assertThat(writing.isValid()).isTrue();
    }
  }

  @Test
  void twoReadersThatGiveUpAtOnceDoNotEndTheWaitOfAThird() throws Exception {
    MemoryBackendProvider engine = new MemoryBackendProvider(new MemoryStore(TimeSource.system()));
    try (LockManager theirs = LockManager.builder("memory:").engine(engine).build();
        LockManager ours = LockManager.builder("memory:").engine(engine).build();
        Lease writing = theirs.getReadWriteLock("rw").writeLock().acquire()) {
      DistributedLock read = ours.getReadWriteLock("rw").readLock();
      CyclicBarrier barrier = new CyclicBarrier(2);
      AtomicReference<CompletableFuture<Lease>> second = new AtomicReference<>();
      AtomicInteger jitter = new AtomicInteger();
      Thread other =
          new Thread(
              () -> {
                try {
                  while (true) {
                    barrier.await();
                    spin(jitter.get());
                    Objects.requireNonNull(second.get()).cancel(false);
                    barrier.await();
                  }
                } catch (Exception e) {
                  // the end
                }
              });
      other.setDaemon(true);
      other.start();
      int ended = 0;
      int rounds = 0;
      long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
      while (System.nanoTime() - until < 0 && ended == 0) {
        rounds++;
        CompletableFuture<Lease> first = read.acquireAsync();
        second.set(read.acquireAsync());
        CompletableFuture<Lease> third = read.acquireAsync();
        jitter.set(rounds % 200);
        barrier.await();
        spin(100);
        first.cancel(false);
        barrier.await();
        Thread.sleep(0, 200_000);
        if (third.isDone()) {
          ended++;
        }
        third.cancel(false);
      }
      other.interrupt();
      assertThat(writing.isValid()).isTrue();
      assertThat(ended).as("waits without limit that ended as busy, rounds: " + rounds).isZero();
    }
  }

  private static void spin(int times) {
    for (int i = 0; i < times; i++) {
      Thread.onSpinWait();
    }
  }
}
