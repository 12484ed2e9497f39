package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SerialQueueTest {
  private final SerialQueue queue = new SerialQueue();
  private final List<String> begun = new ArrayList<>();

  private CompletableFuture<String> add(String name, CompletableFuture<String> answer) {
    return queue.add(
        () -> {
          begun.add(name);
          return answer;
        });
  }

  @Test
  void aTaskBeginsWhenTheTaskBeforeItIsFinished() {
    CompletableFuture<String> first = new CompletableFuture<>();
    add("first", first);
    CompletableFuture<String> second = add("second", CompletableFuture.completedFuture("done"));
    assertThat(begun).containsExactly("first");
    first.complete("done");
    assertThat(begun).containsExactly("first", "second");
    assertThat(second).isCompletedWithValue("done");
  }

  @Test
  void aTaskThatFailsOrThrowsDoesNotHoldUpTheNext() {
    IllegalStateException fault = new IllegalStateException("failure");
    CompletableFuture<String> failed = add("first", CompletableFuture.failedFuture(fault));
    CompletableFuture<String> thrown =
        queue.add(
            () -> {
              throw fault;
            });
    CompletableFuture<String> third = add("third", CompletableFuture.completedFuture("done"));
    assertThat(failed).isCompletedExceptionally();
    assertThat(thrown).isCompletedExceptionally();
    assertThat(third).isCompletedWithValue("done");
  }
}
