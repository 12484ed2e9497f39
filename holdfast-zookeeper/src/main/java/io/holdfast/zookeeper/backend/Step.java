package io.holdfast.zookeeper.backend;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One step of an operation that needs several: it sends its requests and, when they are answered,
 * names the step that follows. {@link #run} drives an operation: no step calls the next one, so an
 * operation reads from top to bottom, however many answers it waits for.
 *
 * @param <R> the result of the operation
 */
@FunctionalInterface
interface Step<R> {
  /** Sends the requests of this step; the answer is the next step. */
  CompletableFuture<Step<R>> take();

  /** The last step, which sends nothing. */
  record Result<R>(R value) implements Step<R> {
    @Override
    public CompletableFuture<Step<R>> take() {
      return CompletableFuture.completedFuture(this);
    }
  }

  /** Takes one step after the other until there is a result, or a step fails. */
  static <R> CompletableFuture<R> run(Step<R> first) {
    CompletableFuture<R> result = new CompletableFuture<>();
    advance(first, result);
    return result;
  }

  private static <R> void advance(Step<R> from, CompletableFuture<R> result) {
    try {
      Step<R> step = from;
      while (!(step instanceof Result<R> last)) {
        CompletableFuture<Step<R>> next = step.take();
        if (!next.isDone()) {
          next.whenComplete((then, fault) -> resume(then, fault, result));
          return;
        }
        step = next.join();
      }
      result.complete(last.value());
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(e);
    }
  }

  private static <R> void resume(
      @Nullable Step<R> then, @Nullable Throwable fault, CompletableFuture<R> result) {
    if (then != null) {
      advance(then, result);
    } else {
      result.completeExceptionally(
          fault != null ? fault : new IllegalStateException("a step named no successor"));
    }
  }
}
