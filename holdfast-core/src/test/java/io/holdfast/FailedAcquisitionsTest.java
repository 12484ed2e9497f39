package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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

/**
 * Every way to ask for a lock, when the store has nothing to say and when it is busy: what is
 * counted, once, before the caller is told.
 */
@Timeout(600)
class FailedAcquisitionsTest {
  private final WatchedStore store = new WatchedStore(new MemoryStore(TimeSource.system()));
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final LockManager manager =
      LockManager.builder("memory:")
          .engine(store)
          .metrics(
              new MetricsCollector() {
                @Override
                public void gaveUp(String key, Duration waited) {
                  assertThat(waited).isGreaterThanOrEqualTo(Duration.ZERO);
                  heard.add("gave up " + key);
                }

                @Override
                public void failed(String key, Duration waited, Throwable fault) {
                  assertThat(waited).isGreaterThanOrEqualTo(Duration.ZERO);
                  heard.add("failed " + key + " " + fault.getClass().getSimpleName());
                }
              })
          .build();

  @AfterEach
  void close() {
    store.answerNormally("acquire");
    manager.close();
  }

  static Stream<Arguments> waysToAsk() {
    return Stream.of(
        way("lock", manager -> manager.getLock("k").tryLock()),
        way("handle", manager -> manager.getLock("k").noWait().acquireAsync().join()),
        way("read", manager -> manager.getReadWriteLock("k").readLock().tryLock()),
        way(
            "write async",
            manager -> manager.getReadWriteLock("k").writeLock().noWait().acquireAsync().join()),
        way("permit", manager -> manager.getSemaphore("k", 1).tryAcquire()),
        way(
            "permit async",
            manager -> manager.getSemaphore("k", 1).permits(1).noWait().acquireAsync().join()));
  }

  private static Arguments way(String name, Consumer<LockManager> call) {
    return Arguments.of(name, call);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("waysToAsk")
  void aSilentStoreIsAFault(String name, Consumer<LockManager> ask) {
    store.answer(
        "acquire",
        call ->
            CompletableFuture.completedFuture(
                new AcquireResult.Unknown(new TimeoutException("on purpose"))));

    assertThatThrownBy(() -> ask.accept(manager))
        .matches(e -> root(e) instanceof StoreUnavailableException);

    assertThat(heard).containsExactly("failed k StoreUnavailableException");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("waysToAsk")
  void aStoreThatRefusesIsAFault(String name, Consumer<LockManager> ask) {
    store.answer(
        "acquire",
        call -> CompletableFuture.failedFuture(new BackendException("no permission", null)));

    assertThatThrownBy(() -> ask.accept(manager)).matches(e -> root(e) instanceof StoreException);

    assertThat(heard).containsExactly("failed k StoreException");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("waysToAsk")
  void aBusyLockIsNoFault(String name, Consumer<LockManager> ask) {
    store.answer("acquire", call -> CompletableFuture.completedFuture(new AcquireResult.Busy(-1)));
    try {
      ask.accept(manager);
    } catch (RuntimeException e) {
      assertThat(root(e)).isInstanceOf(LockTimeoutException.class);
    }

    assertThat(heard).containsExactly("gave up k");
  }

  @Test
  void aManagerThatIsClosedIsNoFault() {
    store.answer("acquire", call -> CompletableFuture.completedFuture(new AcquireResult.Busy(-1)));
    CompletableFuture<Lease> waiting = manager.getLock("k").acquireAsync();

    manager.close();

    assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockManagerClosedException.class);
    assertThat(heard).containsExactly("gave up k");
  }

  private static Throwable root(Throwable fault) {
    return fault instanceof CompletionException && fault.getCause() != null
        ? fault.getCause()
        : fault;
  }
}
