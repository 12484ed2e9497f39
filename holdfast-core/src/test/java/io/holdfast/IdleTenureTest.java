package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A lock that is left in place for a waiter of this process must not stay there when the waiter
 * goes away: nobody would ever give it back, and it would be renewed for ever.
 */
@Timeout(600)
class IdleTenureTest {
  private static final int WAITERS = 10;
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(5);

  private final ManualTime time = new ManualTime();
  private final MemoryStore memory = new MemoryStore(time);
  private final WatchedStore store = new WatchedStore(memory);
  private final LockManager manager =
      time.drive(LockManager.builder("memory:"))
          .engine(store)
          .callbackExecutor(Runnable::run)
          .build();
  private final ExecutorService threads = Executors.newFixedThreadPool(2);

  @AfterEach
  void close() {
    threads.shutdownNow();
    store.answerNormally("acquire");
    manager.close();
  }

  @Test
  void aLockHandedOnToAWaiterThatIsCancelledGoesBackToTheStore() {
    DistributedLock lock = manager.getLock("k");
    Lease held = lock.acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();

    waiting.cancel(false);
    held.close();

    assertThat(memory.size()).isZero();
  }

  /**
   * The race: one thread serves the waiters that follow each other at the gate while another
   * cancels them. It takes many rounds to meet the moment in which each relies on the other.
   */
  @Test
  void aLockIsNotLeftBehindWhenTheLastWaiterIsCancelledAtTheMomentOfItsTurn() throws Exception {
    long end = System.nanoTime() + LONG_ENOUGH.toNanos();
    LockConfig config = LockConfig.builder().lockKey("k").handoffLimit(0).build();
    DistributedLock lock = manager.getLock(config);
    for (int round = 0; System.nanoTime() < end; round++) {
      AtomicInteger grants = new AtomicInteger();
      store.answer(
          "acquire", call -> grants.getAndIncrement() == 0 ? contended(call) : call.proceed());
      Lease first = lock.acquire(); // others want it: it will not be handed on, but given back
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int i = 0; i < WAITERS; i++) {
        CompletableFuture<Lease> one = lock.acquireAsync();
        one.thenAccept(Lease::close); // hands on to the next
        waiting.add(one);
      }
      AtomicInteger ready = new AtomicInteger();
      Future<?> closing = atOnce(ready, first::close);
      Future<?> cancelling = atOnce(ready, () -> waiting.forEach(one -> one.cancel(false)));
      closing.get();
      cancelling.get();

      assertThat(memory.size()).as("left in the store after round %d", round).isZero();
    }
  }

  private Future<?> atOnce(AtomicInteger ready, Runnable action) {
    return threads.submit(
        () -> {
          ready.incrementAndGet();
          while (ready.get() < 2) {
            Thread.onSpinWait();
          }
          action.run();
        });
  }

  private static CompletableFuture<@Nullable AcquireResult> contended(WatchedStore.Call call) {
    CompletableFuture<?> answer = (CompletableFuture<?>) Objects.requireNonNull(call.proceed());
    AcquireResult.Granted granted = (AcquireResult.Granted) Objects.requireNonNull(answer.join());
    return CompletableFuture.completedFuture(
        new AcquireResult.Granted(granted.tokens(), granted.leaseMillis(), true));
  }
}
