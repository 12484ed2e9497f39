package io.holdfast;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Code that runs when a lease arrives; the lease is closed when the code has come to its end. */
final class AsyncBody {
  private AsyncBody() {}

  static <T extends @Nullable Object> CompletableFuture<T> run(
      CompletableFuture<Lease> coming, Function<? super Lease, ? extends CompletionStage<T>> body) {
    CompletableFuture<T> result = new CompletableFuture<>();
    coming.whenComplete(
        (lease, fault) -> {
          if (fault != null) {
            result.completeExceptionally(causeOf(fault));
          } else if (result.isDone()) {
            lease.closeAsync(); // cancelled when the lease was on its way to here
          } else {
            start(lease, body, result);
          }
        });
    result.whenComplete((value, fault) -> coming.cancel(false)); // changes nothing once it is here
    return result;
  }

  private static <T extends @Nullable Object> void start(
      Lease lease,
      Function<? super Lease, ? extends CompletionStage<T>> body,
      CompletableFuture<T> result) {
    CompletionStage<T> stage;
    try {
      stage = requireNonNull(body.apply(lease), "the body must not return null for a stage");
    } catch (Throwable e) { // told through the future, as it is
      stage = CompletableFuture.failedFuture(e);
    }
    stage.whenComplete((value, fault) -> end(lease, value, fault, result));
  }

  private static <T extends @Nullable Object> void end(
      Lease lease, T value, @Nullable Throwable fault, CompletableFuture<T> result) {
    CompletableFuture<?> closed;
    try {
      closed = lease.closeAsync();
    } catch (RuntimeException | Error e) {
      closed = CompletableFuture.failedFuture(e);
    }
    closed.whenComplete(
        (done, loss) -> {
          if (fault != null) {
            Throwable cause = causeOf(fault);
            if (loss != null) {
              cause.addSuppressed(causeOf(loss));
            }
            result.completeExceptionally(cause);
          } else if (loss != null) {
            result.completeExceptionally(causeOf(loss));
          } else {
            result.complete(value);
          }
        });
  }

  private static Throwable causeOf(Throwable fault) {
    Throwable cause = fault.getCause();
    return fault instanceof CompletionException && cause != null ? cause : fault;
  }
}
