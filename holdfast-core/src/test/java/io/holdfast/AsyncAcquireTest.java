package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class AsyncAcquireTest {
  private final MemoryStore store = new MemoryStore(TimeSource.system());
  private final List<LockEvent> events = new CopyOnWriteArrayList<>();
  private final AtomicBoolean callbacksAreFull = new AtomicBoolean();
  private final ExecutorService callbacks = Executors.newCachedThreadPool();
  private final LockManager manager =
      LockManager.builder("memory:")
          .engine(new MemoryBackendProvider(store))
          .listener(events::add)
          .callbackExecutor(
              task -> {
                if (callbacksAreFull.get()) {
                  throw new RejectedExecutionException("full, on purpose");
                }
                callbacks.execute(task);
              })
          .build();
  private final LockManager other =
      LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
  private final DistributedLock lock = manager.getLock("k");

  @AfterEach
  void close() throws InterruptedException {
    callbacksAreFull.set(false);
    manager.close();
    other.close();
    callbacks.shutdown();
    assertThat(callbacks.awaitTermination(120, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void givesALeaseWhenTheLockIsFree() {
    try (Lease lease = lock.acquireAsync().join()) {
      assertThat(lease.isValid()).isTrue();
      assertThat(lease.token()).isPositive();
    }
  }

  @Test
  void givesALeaseWhenTheLockBecomesFreeHere() {
    Lease first = lock.acquire();
    CompletableFuture<Lease> second = lock.acquireAsync();
    assertThat(second).isNotDone();

    first.close();

    try (Lease lease = second.join()) {
      assertThat(lease.token()).isGreaterThan(first.token());
    }
  }

  @Test
  void givesALeaseWhenTheLockBecomesFreeElsewhere() {
    Lease theirs = other.getLock("k").acquire();
    CompletableFuture<Lease> ours = lock.acquireAsync();

    theirs.close();

    try (Lease lease = ours.join()) {
      assertThat(lease.token()).isGreaterThan(theirs.token());
    }
  }

  @Test
  void failsWhenTheTimeIsOverHere() {
    try (Lease held = lock.acquire()) {
      CompletableFuture<Lease> waiting = lock.waitUpTo(Duration.ofMillis(20)).acquireAsync();

      assertThatThrownBy(waiting::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("'k'");
      assertThat(held.isValid()).isTrue();
      assertThat(lock.info().localWaiters()).isZero();
    }
  }

  @Test
  void failsWhenTheTimeIsOverElsewhere() {
    try (Lease held = other.getLock("k").acquire()) {
      CompletableFuture<Lease> waiting = lock.waitUpTo(Duration.ofMillis(20)).acquireAsync();

      assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockTimeoutException.class);
      assertThat(held.isValid()).isTrue();
      await().until(() -> lock.info().waiters().isEmpty());
    }
  }

  @Test
  void failsAtOnceWithoutTime() {
    try (Lease held = lock.acquire()) {
      assertThatThrownBy(lock.noWait().acquireAsync()::join)
          .hasCauseInstanceOf(LockTimeoutException.class);
      assertThat(held.isValid()).isTrue();
    }
  }

  @Test
  void leavesTheQueueWhenCancelled() {
    try (Lease held = lock.acquire()) {
      CompletableFuture<Lease> waiting = lock.acquireAsync();

      waiting.cancel(false);

      assertThat(lock.info().localWaiters()).isZero();
      assertThat(held.isValid()).isTrue();
    }
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  void leavesTheQueueOfTheStoreWhenCancelled() {
    try (Lease held = other.getLock("k").acquire()) {
      CompletableFuture<Lease> waiting = lock.acquireAsync();
      await().until(() -> lock.info().waiters().size() == 1);

      waiting.cancel(false);

      await().until(() -> lock.info().waiters().isEmpty());
      assertThat(held.isValid()).isTrue();
    }
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  void leavesTheQueueWhenItsFutureEndsInAnyOtherWay() {
    try (Lease held = lock.acquire()) {
      CompletableFuture<Lease> waiting = lock.acquireAsync();

      assertThatThrownBy(waiting.orTimeout(20, TimeUnit.MILLISECONDS)::join)
          .as("a time-out that the application adds")
          .isInstanceOf(CompletionException.class);

      await().untilAsserted(() -> assertThat(lock.info().localWaiters()).isZero());
      assertThat(held.isValid()).isTrue();
    }
  }

  @Test
  void givesTheLockBackWhenItArrivesForAFutureThatIsOver() {
    Lease held = lock.acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    waiting.completeExceptionally(new IllegalStateException("not wanted any more"));

    held.close();

    await().until(() -> !lock.isLocked());
  }

  @Test
  void tellsOfEveryWaitThatIsGivenUp() {
    try (Lease held = lock.acquire()) {
      lock.acquireAsync().cancel(false);

      await()
          .untilAsserted(
              () ->
                  assertThat(events).extracting(LockEvent::kind).contains(LockEvent.Kind.GAVE_UP));
      assertThat(held.isValid()).isTrue();
    }
  }

  @Test
  void namesTheThreadThatAskedAndNotTheOneThatHandedTheLockOn() throws InterruptedException {
    CompletableFuture<Lease> waiting = new CompletableFuture<>();
    Thread holder =
        new Thread(
            () -> {
              lock.lock();
              try {
                Thread asking = new Thread(() -> copy(lock.acquireAsync(), waiting), "asking");
                asking.start();
                await().until(() -> lock.info().localWaiters() == 1);
              } finally {
                lock.unlock();
              }
            },
            "handing-on");
    holder.start();
    holder.join();

    try (Lease lease = waiting.join()) {
      assertThat(lease.isValid()).isTrue();
      assertThat(lock.info().toString()).contains("'asking'").doesNotContain("'handing-on'");
    }
  }

  @Test
  void keepsNothingWhenItsLeaseCannotBeDelivered() {
    Lease held = lock.acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    callbacksAreFull.set(true);

    try {
      held.close(); // hands on to the future, whose callback cannot run
    } catch (RejectedExecutionException e) {
      // whether the one who closes hears of it does not matter here
    }

    await().until(() -> waiting.isDone() || !lock.isLocked());
    assertThat(lock.info().localWaiters()).isZero();
  }

  private static void copy(CompletableFuture<Lease> from, CompletableFuture<Lease> to) {
    from.whenComplete(
        (lease, fault) -> {
          if (fault != null) {
            to.completeExceptionally(fault);
          } else {
            to.complete(lease);
          }
        });
  }
}
