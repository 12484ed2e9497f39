package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a multi-lock waits for the store when it gives its keys back. */
@Timeout(600)
@SuppressWarnings("LockNotBeforeTry")
class MultiReleaseTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final List<String> KEYS = List.of("a", "b");

  private final WatchedStore store = new WatchedStore(new MemoryStore(TimeSource.system()));
  private final LockManager manager = manager();
  private final LockManager other = manager();
  private final Queue<CompletableFuture<ReleaseResult>> answers = new ConcurrentLinkedQueue<>();
  private final DistributedLock pipelined =
      manager.getMultiLock(LockConfig.builder().pipelinedRelease(true).build(), KEYS);
  private final DistributedLock both = manager.getMultiLock("a", "b");

  private LockManager manager() {
    return LockManager.builder("memory:").engine(store).build();
  }

  @AfterEach
  void close() {
    store.answerNormally("release");
    store.answerNormally("assist");
    manager.close();
    other.close();
  }

  /** The store releases, and says so later. */
  private void holdAnswersBack() {
    store.answer(
        "release",
        call -> {
          call.proceed();
          CompletableFuture<ReleaseResult> answer = new CompletableFuture<>();
          answers.add(answer);
          return answer;
        });
  }

  private void letAnswersCome(ReleaseResult answer) {
    for (CompletableFuture<ReleaseResult> next = answers.poll();
        next != null;
        next = answers.poll()) {
      next.complete(answer);
    }
  }

  @Test
  void unlockDoesNotWaitForAPipelinedRelease() {
    holdAnswersBack();
    assertThat(
            CompletableFuture.runAsync(
                () -> {
                  pipelined.lock();
                  pipelined.unlock();
                }))
        .succeedsWithin(PATIENCE);
    assertThat(answers).hasSize(2);
  }

  @Test
  void unlockDoesNotWaitForAPipelinedReleaseOfKeysThatWereTakenOneByOne() {
    other.getLock("b").lock();
    CompletableFuture<?> unlocked =
        CompletableFuture.runAsync(
            () -> {
              pipelined.lock();
              holdAnswersBack();
              pipelined.unlock();
            });
    await().atMost(PATIENCE).until(() -> other.getLock("b").info().waiters().size() == 1);
    other.getLock("b").unlock();
    assertThat(unlocked).succeedsWithin(PATIENCE);
    assertThat(answers).hasSize(2);
  }

  @Test
  void closeDoesNotWaitForAPipelinedRelease() {
    Lease lease = pipelined.acquire();
    holdAnswersBack();
    assertThat(CompletableFuture.runAsync(lease::close)).succeedsWithin(PATIENCE);
    assertThat(answers).hasSize(2);
    assertThat(lease.isValid()).isFalse();
  }

  @Test
  void unlockAndCloseWaitForOtherReleases() {
    Lease lease = both.acquire();
    holdAnswersBack();
    CompletableFuture<?> closed = CompletableFuture.runAsync(lease::close);
    await().atMost(PATIENCE).until(() -> answers.size() == 2);
    assertThat(closed).isNotDone();
    letAnswersCome(new ReleaseResult.Released());
    assertThat(closed).succeedsWithin(PATIENCE);

    CompletableFuture<?> unlocked =
        CompletableFuture.runAsync(
            () -> {
              both.lock();
              both.unlock();
            });
    await().atMost(PATIENCE).until(() -> answers.size() == 2);
    assertThat(unlocked).isNotDone();
    letAnswersCome(new ReleaseResult.Released());
    assertThat(unlocked).succeedsWithin(PATIENCE);
  }

  @Test
  void aPipelinedUnlockSaysWhatIsKnownToBeLost() {
    pipelined.lock();
    assertThat(manager.getLock("a").forceUnlock()).isTrue();
    assertThatThrownBy(pipelined::unlock).isInstanceOf(LockLostException.class);
    await()
        .atMost(PATIENCE)
        .until(() -> other.getLock("b").tryLock()); // the loss gives it back, too
  }

  /** As on Redis, where the waiting thread itself does the input and output. */
  @Test
  void whoGivesBackWhatItCouldNotHaveWholeDoesTheWorkOfTheStoreMeanwhile() {
    other.getLock("b").lock();
    holdAnswersBack();
    store.answer(
        "assist",
        call -> {
          letAnswersCome(new ReleaseResult.Released());
          return call.proceed();
        });
    assertThat(CompletableFuture.supplyAsync(both::tryLock)).succeedsWithin(PATIENCE);
    assertThat(other.getLock("a").isLocked()).isFalse();
  }
}
