package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.ReleaseResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The place of a waiter in the store's queue after the waiter was served in its own process, with a
 * store whose answers the test holds back.
 */
@Timeout(600)
class SemaphoreQueueTest {
  private final ManualTime time = new ManualTime();
  private final WatchedStore store = new WatchedStore(new MemoryStore(time));
  private final Deque<Runnable> heldBack = new ArrayDeque<>();
  private final LockManager manager =
      time.drive(LockManager.builder("memory:"))
          .engine(store)
          .callbackExecutor(Runnable::run)
          .build();
  private final DistributedSemaphore semaphore = manager.getSemaphore("s", 3);

  @AfterEach
  void close() {
    store.answerNormally("release");
    heldBack.forEach(Runnable::run);
    manager.close();
  }

  /** From now on a release takes effect, and is answered, when the test says so. */
  private void holdBackReleases() {
    store.answer(
        "release",
        call -> {
          CompletableFuture<ReleaseResult> answer = new CompletableFuture<>();
          heldBack.add(
              () -> {
                if (call.proceed() instanceof CompletionStage<?> real) {
                  real.thenAccept(result -> answer.complete((ReleaseResult) result));
                }
              });
          return answer;
        });
  }

  @Test
  void aWaiterHearsOfItsPermitsWhenItsPlaceInTheQueueIsGivenUp() {
    Lease held = semaphore.acquire(2);
    CompletableFuture<Lease> waiting = semaphore.acquireAsync(2);
    holdBackReleases();
    held.close();

    assertThat(heldBack).as("nothing but its place").hasSize(1);
    assertThat(waiting).isNotDone();
    heldBack.remove().run();
    assertThat(waiting).isCompleted();
    assertThat(semaphore.tryAcquire()).isPresent();
  }

  @Test
  void aStoreThatDoesNotAnswerKeepsNoWaiterFromThePermitsItHas() {
    Lease held = semaphore.acquire(2);
    CompletableFuture<Lease> waiting = semaphore.acquireAsync(2);
    store.answer(
        "release",
        call ->
            CompletableFuture.completedFuture(
                new ReleaseResult.Unknown(new IllegalStateException("no answer"))));
    held.close();

    assertThat(waiting).as("the place is given up in the background").isCompleted();
    assertThat(waiting.join().isValid()).isTrue();
    store.answerNormally("release");
    time.advance(Duration.ofSeconds(2));
    assertThat(semaphore.info().waiters()).isEmpty();
  }

  @Test
  void aWaiterWhoseTimeIsOverMeanwhileHasThePermitsAtOnce() {
    Lease held = semaphore.acquire(2);
    CompletableFuture<Lease> waiting =
        semaphore.permits(2).waitUpTo(Duration.ofSeconds(5)).acquireAsync();
    holdBackReleases();
    held.close();
    assertThat(waiting).isNotDone();
    time.advance(Duration.ofSeconds(5));

    assertThat(waiting).isCompleted();
  }

  @Test
  void aWaiterThatIsCancelledMeanwhileGivesThePermitsBack() {
    Lease held = semaphore.acquire(2);
    CompletableFuture<Lease> waiting = semaphore.acquireAsync(2);
    holdBackReleases();
    held.close();
    waiting.cancel(false);
    store.answerNormally("release");
    heldBack.forEach(Runnable::run);
    heldBack.clear();

    assertThat(semaphore.availablePermits()).isEqualTo(3);
    assertThat(semaphore.info().waiters()).isEmpty();
  }
}
