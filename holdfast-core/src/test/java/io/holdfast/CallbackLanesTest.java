package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.parallel.Isolated;

/** Callbacks that take long do not make threads without end, and do not hold up other kinds. */
@Isolated
@Timeout(600)
class CallbackLanesTest {
  private static final int MANY = 2_000;
  private static final int BOUND =
      Math.min(256, Math.max(32, 8 * Runtime.getRuntime().availableProcessors()));

  /** Stands still, so that nothing is ever found to be stalled. */
  private final ManualTime time = new ManualTime();

  private final MemoryStore store = new MemoryStore(time);
  private final LockManager manager =
      time.drive(LockManager.builder("memory:")).engine(new MemoryBackendProvider(store)).build();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final List<CompletableFuture<Void>> continuations = new ArrayList<>();
  private final AtomicInteger begun = new AtomicInteger();
  private final Set<Thread> usedThreads = ConcurrentHashMap.newKeySet();

  @AfterEach
  void close() {
    ended.countDown();
    assertThat(CompletableFuture.allOf(continuations.toArray(CompletableFuture[]::new)))
        .succeedsWithin(Duration.ofMinutes(2));
    manager.close();
  }

  /** Chains an action to a lease that comes later, so that it never runs on the calling thread. */
  private void whenAcquired(String key, Consumer<Lease> action) {
    try (Lease before = manager.getLock(key).acquire()) {
      assertThat(before.isValid()).isTrue();
      continuations.add(manager.getLock(key).acquireAsync().thenAccept(action));
    }
  }

  /** Continuations that block until the end of the test. */
  private void acquireManyAndBlock() {
    for (int i = 0; i < MANY; i++) {
      whenAcquired(
          "k" + i,
          lease -> {
            usedThreads.add(Thread.currentThread());
            begun.incrementAndGet();
            awaitEnd();
            lease.close();
          });
    }
    await().until(() -> begun.get() >= Math.min(BOUND, MANY));
  }

  private void awaitEnd() {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Stream<Thread> callbackThreads() {
    return Thread.getAllStackTraces().keySet().stream() // without virtual threads
        .filter(thread -> thread.getName().startsWith("holdfast-callback"));
  }

  @Test
  void manyContinuationsThatBlockHaveABoundedNumberOfThreads() {
    acquireManyAndBlock();
    assertThat(store.size()).isEqualTo(MANY);
    assertThat(callbackThreads().count()).isLessThanOrEqualTo(BOUND);
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void allOfThemRunInTheEnd() {
    acquireManyAndBlock();
    assertThat(begun).hasValue(BOUND);
    ended.countDown();
    await().untilAsserted(() -> assertThat(begun).hasValue(MANY));
    await().until(() -> store.size() == 0);
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void onVirtualThreadsAllOfThemBeginAtOnce() {
    acquireManyAndBlock();
    await().until(() -> begun.get() == MANY);
    assertThat(callbackThreads()).isEmpty();
    assertThat(usedThreads).hasSize(MANY).allMatch(CallbackLanesTest::isVirtual);
  }

  private static boolean isVirtual(Thread thread) {
    try {
      return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  @Test
  void aLossIsToldWhileContinuationsBlock() throws InterruptedException {
    CompletableFuture<Thread> told = new CompletableFuture<>();
    Lease ending = manager.getLock("ending").leaseFor(Duration.ofSeconds(3)).acquire();
    ending.onLost(loss -> told.complete(Thread.currentThread()));
    acquireManyAndBlock();
    store.remove("ending");
    time.advance(Duration.ofSeconds(3));
    assertThat(told).succeedsWithin(Duration.ofMinutes(2));
    assertThat(isVirtual(told.join())).as("needs no carrier").isFalse();
  }

  @Test
  void aContinuationThatWaitsForItsOwnAnswerGoesOnWhileOthersBlock() {
    Lease held = manager.getLock("held").acquire();
    acquireManyAndBlock();
    assertThat(held.closeAsync()).succeedsWithin(Duration.ofMinutes(2));
  }

  /** All threads wait for a lock whose lease is in the queue behind them. */
  @Test
  void continuationsThatWaitForEachOtherComeToAnEnd() {
    Lease first = manager.getLock("wanted").acquire();
    CountDownLatch blocked = new CountDownLatch(BOUND);
    for (int i = 0; i < BOUND; i++) {
      whenAcquired(
          "k" + i,
          lease -> {
            blocked.countDown();
            manager.getLock("wanted").lock();
            manager.getLock("wanted").unlock();
            lease.close();
          });
    }
    continuations.add(manager.getLock("wanted").acquireAsync().thenAccept(Lease::close));
    await().until(() -> blocked.getCount() == 0);
    first.close();
    await()
        .until(
            () -> {
              time.advance(Duration.ofMillis(500));
              return continuations.stream().allMatch(CompletableFuture::isDone);
            });
  }

  @Test
  void theThreadsOfClosedManagersEnd() {
    List<CompletableFuture<LockLoss>> told = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      LockManager one = LockManager.create("memory:");
      CompletableFuture<LockLoss> loss = new CompletableFuture<>();
      one.getLock("k").acquireAsync().join().onLost(loss::complete);
      told.add(loss);
      one.close();
    }
    assertThat(told).allSatisfy(each -> assertThat(each).succeedsWithin(Duration.ofMinutes(2)));
    await().until(() -> callbackThreads().count() == 0);
  }

  @Test
  void aManagerThatIsClosedStillTellsWhatComesLater() {
    LockManager one =
        LockManager.builder("memory:")
            .engine(new MemoryBackendProvider(new MemoryStore(TimeSource.system())))
            .build();
    Lease held = one.getLock("k").acquire();
    CompletableFuture<Lease> waiting = one.getLock("k").acquireAsync();
    one.close();
    assertThat(waiting).failsWithin(Duration.ofMinutes(2));
    assertThat(held.isValid()).isFalse();
  }
}
