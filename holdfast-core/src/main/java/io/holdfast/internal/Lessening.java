package io.holdfast.internal;

import io.holdfast.LossReason;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A live tenure that gives back a part of what it claims: the same owner asks again for less. The
 * deadline is not touched; the store's new lease is only longer.
 */
final class Lessening {
  private static final long DELAY = Duration.ofMillis(200).toNanos();

  private final LockEngine engine;
  private final Tenure tenure;
  private final Demand demand;
  private final CompletableFuture<@Nullable Void> firstAnswer = new CompletableFuture<>();

  Lessening(LockEngine engine, Tenure tenure, Demand demand) {
    this.engine = engine;
    this.tenure = tenure;
    this.demand = demand;
  }

  CompletableFuture<@Nullable Void> firstAnswer() {
    return firstAnswer;
  }

  void attempt() {
    if (!tenure.isLive()) {
      firstAnswer.complete(null);
      return;
    }
    long lease = tenure.renewalLeaseMillis(engine.time().nanoTime());
    AcquireRequest request =
        new AcquireRequest(
            tenure.resource(),
            tenure.owner(),
            demand.claim(),
            lease,
            Thread.currentThread().getName(),
            false,
            0);
    CompletionStage<AcquireResult> reply;
    try {
      reply = engine.backend().acquire(request);
    } catch (RuntimeException | Error e) {
      reply = CompletableFuture.failedFuture(e);
    }
    reply.whenComplete(this::answered);
  }

  private void answered(@Nullable AcquireResult answer, @Nullable Throwable fault) {
    if (answer instanceof AcquireResult.Busy) {
      engine.lose(tenure, LossReason.GONE_FROM_STORE);
    } else if (!(answer instanceof AcquireResult.Granted) && tenure.isLive()) {
      engine.scheduler().schedule(DELAY, this::attempt);
    } else if (!tenure.isLive()) {
      engine.giveBack(tenure.resource(), tenure.owner(), demand.lease()); // released meanwhile
    }
    firstAnswer.complete(null);
  }
}
