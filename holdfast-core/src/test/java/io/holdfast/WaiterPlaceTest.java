package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A waiter that the store has forgotten, as it did not ask for a while, has its place again. */
@Timeout(600)
class WaiterPlaceTest {
  private static final Duration PAUSE = Duration.ofSeconds(20);

  private final ManualTime time = new ManualTime();
  private final ManualTime timeOfPaused = new ManualTime();
  private final MemoryStore store = new MemoryStore(time);
  private final LockManager others = manager(time);
  private final LockManager paused = manager(timeOfPaused);

  private LockManager manager(ManualTime clock) {
    return clock
        .drive(LockManager.builder("memory:"))
        .engine(new MemoryBackendProvider(store))
        .callbackExecutor(Runnable::run)
        .build();
  }

  @AfterEach
  void close() {
    others.close();
    paused.close();
  }

  private static DistributedLock lock(LockManager manager, boolean fair) {
    return fair ? manager.getFairLock("k") : manager.getLock("k");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aProcessThatWasPausedStandsBeforeThoseWhoCameLater(boolean fair) {
    LockManager third = manager(time);
    Lease first = lock(others, fair).acquire();
    CompletableFuture<Lease> ofPaused = lock(paused, fair).acquireAsync();
    CompletableFuture<Lease> second = lock(third, fair).acquireAsync();
    time.advance(PAUSE);
    first.close();
    assertThat(second).as("the paused one was passed over").isCompleted();
    CompletableFuture<Lease> later = lock(others, fair).acquireAsync();
    assertThat(later).isNotDone();

    timeOfPaused.pause(PAUSE);
    timeOfPaused.advance(Duration.ZERO);
    second.join().close();

    assertThat(ofPaused).isCompleted();
    assertThat(later).isNotDone();
    ofPaused.join().close();
    assertThat(later).isCompleted();
    later.join().close();
    third.close();
  }
}
