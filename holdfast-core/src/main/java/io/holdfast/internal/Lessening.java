package io.holdfast.internal;

import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A live tenure that gives back a part of what it claims: a renewal that asks for less. The
 * deadline is not touched; the store's new lease is only longer.
 */
final class Lessening {
  private static final long DELAY = Duration.ofMillis(200).toNanos();

  private final LockEngine engine;
  private final Tenure tenure;
  private final CompletableFuture<@Nullable Void> firstAnswer = new CompletableFuture<>();

  Lessening(LockEngine engine, Tenure tenure) {
    this.engine = engine;
    this.tenure = tenure;
  }

  CompletableFuture<@Nullable Void> firstAnswer() {
    return firstAnswer;
  }

  void attempt() {
    if (!tenure.isLive()) {
      firstAnswer.complete(null);
      return;
    }
    RenewRequest request = tenure.renewRequest(engine.time().nanoTime());
    CompletionStage<List<RenewResult>> reply;
    try {
      reply = engine.backend().renew(List.of(request));
    } catch (RuntimeException | Error e) {
      reply = CompletableFuture.failedFuture(e);
    }
    reply.whenComplete(this::answered);
  }

  private void answered(@Nullable List<RenewResult> answers, @Nullable Throwable fault) {
    RenewResult answer = answers == null || answers.isEmpty() ? null : answers.get(0);
    if (answer instanceof RenewResult.Lost) {
      engine.goneFromStore(tenure);
    } else if (answer instanceof RenewResult.Resumed) {
      engine.resumed(tenure);
    } else if (answer == null || answer instanceof RenewResult.Unknown) {
      engine.scheduler().schedule(DELAY, this::attempt);
    }
    firstAnswer.complete(null);
  }
}
