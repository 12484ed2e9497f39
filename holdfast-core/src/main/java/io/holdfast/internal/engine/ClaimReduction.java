package io.holdfast.internal.engine;

import io.holdfast.internal.lease.Tenure;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A live tenure that gives back a part of what it claims: a renewal that asks for less. */
final class ClaimReduction {
  private static final long DELAY = Duration.ofMillis(200).toNanos();

  private final LockEngine engine;
  private final Context context;
  private final Tenure tenure;
  private final CompletableFuture<@Nullable Void> firstAnswer = new CompletableFuture<>();

  ClaimReduction(LockEngine engine, Tenure tenure) {
    this.engine = engine;
    this.context = engine.context();
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
    long sentAt = context.now();
    RenewRequest request = tenure.renewRequest(sentAt);
    CompletionStage<List<RenewResult>> reply;
    try {
      reply = context.backend().renew(List.of(request));
    } catch (RuntimeException | Error e) {
      reply = CompletableFuture.failedFuture(e);
    }
    reply.whenComplete(
        (answers, fault) ->
            answered(
                answers == null || answers.isEmpty() ? null : answers.get(0),
                sentAt,
                request.leaseMillis()));
  }

  private void answered(@Nullable RenewResult answer, long sentAt, long askedMillis) {
    if (answer instanceof RenewResult.Lost) {
      engine.goneFromStore(tenure);
    } else if (answer instanceof RenewResult.Renewed renewed) {
      tenure.renewed(sentAt, askedMillis, renewed.leaseMillis(), renewed.contended());
    } else if (answer instanceof RenewResult.Resumed resumed) {
      tenure.renewed(sentAt, askedMillis, resumed.leaseMillis(), resumed.contended());
      engine.resumed(tenure);
    } else {
      context.scheduler().schedule(DELAY, this::attempt);
    }
    firstAnswer.complete(null);
  }
}
