package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.memory.MemoryStore;
import io.holdfast.metrics.InMemoryMetrics;
import io.holdfast.metrics.MetricsSnapshot;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything but a lock that can be asked of the store, when it has nothing to say. */
@Timeout(600)
class FailedRequestsTest {
  private final WatchedStore store = new WatchedStore(new MemoryStore(TimeSource.system()));
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final LockManager manager =
      manager(
          new MetricsCollector() {
            @Override
            public void failed(String key, Duration waited, Throwable fault) {
              assertThat(waited).isGreaterThanOrEqualTo(Duration.ZERO);
              heard.add(key + " " + fault.getClass().getSimpleName());
            }
          });

  private LockManager manager(MetricsCollector metrics) {
    return LockManager.builder("memory:").engine(store).metrics(metrics).build();
  }

  @AfterEach
  void close() {
    manager.close();
  }

  static Stream<Arguments> requests() {
    return Stream.of(
        request("inspect", m -> m.getLock("k").info()),
        request("inspect", m -> m.getLock("k").isLocked()),
        request("inspect", m -> m.getReadWriteLock("k").writeLock().info()),
        request("inspect", m -> m.getSemaphore("k", 2).availablePermits()),
        request("inspect", m -> m.getCountDownLatch("k").info()),
        request("forceRelease", m -> m.getLock("k").forceUnlock()),
        request("forceRelease", m -> m.getSemaphore("k", 2).forceRelease()),
        request("forceRelease", m -> m.getCountDownLatch("k").forceOpen()),
        request("setLimit", m -> m.getSemaphore("k", 2).setPermits(3)),
        request("trySetCount", m -> m.getCountDownLatch("k").trySetCount(1)),
        request("trySetCount", m -> join(m.getCountDownLatch("k").trySetCountAsync(1))),
        request("countDown", m -> m.getCountDownLatch("k").countDown()),
        request("countDown", m -> join(m.getCountDownLatch("k").countDownAsync())),
        request("count", m -> m.getCountDownLatch("k").getCount()));
  }

  private static Arguments request(String method, Consumer<LockManager> request) {
    return Arguments.of(method, request);
  }

  /** What a future failed with, as a caller sees it. */
  private static void join(CompletableFuture<?> future) {
    Throwable fault = future.handle((value, thrown) -> thrown).join();
    if (fault instanceof RuntimeException known) {
      throw known;
    }
  }

  @ParameterizedTest(name = "{0} {index}")
  @MethodSource("requests")
  void aRequestThatGetsNoAnswerIsCountedOnce(String method, Consumer<LockManager> request) {
    store.answer(method, call -> CompletableFuture.failedFuture(new TimeoutException("silent")));

    assertThatThrownBy(() -> request.accept(manager)).isInstanceOf(StoreUnavailableException.class);
    assertThat(heard).containsExactly("k StoreUnavailableException");
  }

  @ParameterizedTest(name = "{0} {index}")
  @MethodSource("requests")
  void aRequestThatIsRefusedIsCountedOnce(String method, Consumer<LockManager> request) {
    store.answer(method, call -> CompletableFuture.failedFuture(new BackendException("no", null)));

    assertThatThrownBy(() -> request.accept(manager))
        .isExactlyInstanceOf(StoreException.class)
        .hasMessageContaining("no");
    assertThat(heard).containsExactly("k StoreException");
  }

  @Test
  void aBackendThatThrowsIsCountedToo() {
    store.answer(
        "inspect",
        call -> {
          throw new IllegalStateException("on purpose");
        });

    assertThatThrownBy(() -> manager.getLock("k").info()).hasMessageContaining("on purpose");
    assertThat(heard).containsExactly("k IllegalStateException");
  }

  @Test
  void whatIsAnsweredAndWhatComesAfterTheEndAreNoFaults() {
    assertThat(manager.getLock("k").info().isLocked()).isFalse();
    assertThatThrownBy(() -> manager.getCountDownLatch("k").countDown())
        .isInstanceOf(IllegalStateException.class);
    DistributedLock lock = manager.getLock("k");
    manager.close();
    assertThatThrownBy(lock::info).isInstanceOf(LockManagerClosedException.class);

    assertThat(heard).isEmpty();
  }

  @Test
  void theyDoNotMakeItLookAsIfNobodyGotTheLock() {
    InMemoryMetrics metrics = new InMemoryMetrics();
    try (LockManager counted = manager(metrics)) {
      counted.getLock("k").acquire().close();
      store.answer("inspect", call -> CompletableFuture.failedFuture(new TimeoutException("no")));
      assertThatThrownBy(() -> counted.getLock("k").info()).isInstanceOf(StoreException.class);
    }

    MetricsSnapshot.Family family =
        Objects.requireNonNull(metrics.snapshot().families().get("k"), "k");
    assertThat(family.requestsFailed()).isEqualTo(1);
    assertThat(family.failed()).isZero();
    assertThat(family.acquireSuccessRate()).hasValue(1);
  }
}
