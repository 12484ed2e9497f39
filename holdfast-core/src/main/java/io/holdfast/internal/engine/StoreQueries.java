package io.holdfast.internal.engine;

import io.holdfast.LockException;
import io.holdfast.StoreException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.base.Awaits;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.Resource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Questions and orders to the store that are neither an acquisition nor a release: who holds it,
 * how many are left, open it by force. They are asked once, and a fault is explained to the caller.
 */
public final class StoreQueries {
  private final Context context;

  StoreQueries(Context context) {
    this.context = context;
  }

  /** Asks the store something on behalf of a caller who waits for the answer. */
  public <T> T ask(Resource resource, Function<LockBackend, CompletionStage<T>> question) {
    return Awaits.await(context.backend(), askAsync(resource, question));
  }

  /** Asks the store something; a fault is one that the caller may see, and is counted. */
  public <T> CompletableFuture<T> askAsync(
      Resource resource, Function<LockBackend, CompletionStage<T>> question) {
    context.requireOpen(resource);
    long startedAt = context.now();
    CompletionStage<T> reply;
    try {
      reply = question.apply(context.backend());
    } catch (RuntimeException | Error e) {
      context.events().requestFailed(resource.key(), startedAt, e);
      throw e;
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    reply.whenComplete(
        (value, fault) -> {
          if (fault != null) {
            RuntimeException explained = explain(resource, fault);
            context.events().requestFailed(resource.key(), startedAt, explained);
            answer.completeExceptionally(explained);
          } else {
            answer.complete(value);
          }
        });
    return answer;
  }

  /** Turns what a backend threw into what a caller should see. */
  public RuntimeException explain(Resource resource, Throwable fault) {
    Throwable cause = fault;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof LockException known) {
      return known;
    }
    String kind = resource.kind().label();
    String key = resource.key();
    if (cause instanceof BackendException known) {
      String message = resource + ": " + cause.getMessage();
      return known.mayPass()
          ? new StoreUnavailableException(kind, key, message, cause)
          : new StoreException(kind, key, message, cause);
    }
    return new StoreUnavailableException(
        kind,
        key,
        "%s: %s cannot be reached (%s)".formatted(resource, context.backend().engine(), cause),
        cause);
  }
}
