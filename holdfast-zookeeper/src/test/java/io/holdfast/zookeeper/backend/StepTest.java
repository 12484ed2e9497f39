package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StepTest {
  private static final int MANY = 100_000;

  private static Step<Integer> countDown(int from, List<CompletableFuture<Step<Integer>>> answers) {
    if (from == 0) {
      return new Step.Result<>(0);
    }
    return () -> {
      Step<Integer> next = countDown(from - 1, answers);
      if (answers.isEmpty()) {
        return CompletableFuture.completedFuture(next);
      }
      return answers.remove(0).thenApply(ready -> next);
    };
  }

  @Test
  void manyStepsThatAreAnsweredAtOnceDoNotFillTheStack() {
    assertThat(Step.run(countDown(MANY, new ArrayList<>()))).isCompletedWithValue(0);
  }

  @Test
  void theResultComesWithTheLastAnswer() {
    CompletableFuture<Step<Integer>> first = new CompletableFuture<>();
    CompletableFuture<Step<Integer>> second = new CompletableFuture<>();
    CompletableFuture<Integer> result =
        Step.run(countDown(2, new ArrayList<>(List.of(first, second))));
    second.complete(new Step.Result<>(-1));
    assertThat(result).isNotDone();
    first.complete(new Step.Result<>(-1));
    assertThat(result).isCompletedWithValue(0);
  }

  @Test
  void aFailureOfAnyStepIsTheFailureOfTheOperation() {
    IllegalStateException fault = new IllegalStateException("failure");
    CompletableFuture<Step<Integer>> late = new CompletableFuture<>();
    CompletableFuture<Integer> failsLate = Step.run(() -> late);
    late.completeExceptionally(fault);
    Step<Integer> failed = () -> CompletableFuture.failedFuture(fault);
    Step<Integer> throwing =
        () -> {
          throw fault;
        };
    for (CompletableFuture<Integer> each :
        List.of(failsLate, Step.run(failed), Step.run(throwing))) {
      assertThatThrownBy(each::join).hasRootCause(fault);
    }
  }

  @Test
  void anErrorInAStepThatAnAnswerLeadsToIsTheFailureOfTheOperation() {
    CompletableFuture<Step<Integer>> answer = new CompletableFuture<>();
    CompletableFuture<Integer> result = Step.run(() -> answer);
    answer.complete(
        () -> {
          throw new AssertionError("broken");
        });
    assertThatThrownBy(result::join).hasRootCauseInstanceOf(AssertionError.class);
  }
}
