package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Messages and answers take different ways: a message may be there before the answer it belongs to.
 */
@Isolated
class EarlyNewsTest {
  private final TwoProcesses processes = new TwoProcesses();

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void aWaiterThatIsAnnouncedBeforeTheHolderHearsOfItsGrantIsNotForgotten() {
    DistributedLock here =
        processes.here.getLock(LockConfig.builder().lockKey("k").handoffLimit(0).build());
    InterceptedStore.HeldCall asking = processes.store.holdNext("acquire");
    CompletableFuture<Lease> first = here.acquireAsync();
    Object granted = ((CompletionStage<?>) asking.execute()).toCompletableFuture().join();
    CompletableFuture<Lease> there = processes.there.getLock("k").acquireAsync(); // wanted!
    asking.answer(granted);
    CompletableFuture<Lease> behind = here.acquireAsync();
    first.join().close();
    assertThat(there).as("the other process, which came first").isDone();
    assertThat(behind).as("the one behind in this process").isNotDone();
    there.join().close();
    behind.join().close();
  }
}
