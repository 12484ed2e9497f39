package io.holdfast.internal.engine;

import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a lock back, again and again until the store has answered or the lease is over anyway. The
 * first answer is what {@code unlock()} waits for; the rest goes on behind it.
 */
final class Release {
  private static final Logger log = LoggerFactory.getLogger(Release.class);
  private static final long FIRST_DELAY = Duration.ofMillis(50).toNanos();
  private static final long MOST_DELAY = Duration.ofSeconds(1).toNanos();

  private final LockEngine engine;
  private final Context context;
  private final Resource resource;
  private final Owner owner;
  private final long leaseEnd;
  private final boolean contended;
  private final CompletableFuture<ReleaseResult> firstAnswer = new CompletableFuture<>();
  private final CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();
  private int tries;

  /**
   * For an owner.
   *
   * @param leaseEnd when there is nothing left to give back
   * @param contended whether others are known to wait
   */
  Release(LockEngine engine, Resource resource, Owner owner, long leaseEnd, boolean contended) {
    this.engine = engine;
    this.context = engine.context();
    this.resource = resource;
    this.owner = owner;
    this.leaseEnd = leaseEnd;
    this.contended = contended;
  }

  Owner owner() {
    return owner;
  }

  /** What the first try gave, or the fault that no further try can cure. */
  CompletableFuture<ReleaseResult> firstAnswer() {
    return firstAnswer;
  }

  /** Completes when the lock is known to be given back, or its lease is over. */
  CompletableFuture<@Nullable Void> settled() {
    return settled;
  }

  void attempt() {
    CompletionStage<ReleaseResult> reply;
    try {
      reply = context.backend().release(request());
    } catch (RuntimeException | Error e) {
      reply = CompletableFuture.failedFuture(e);
    }
    follow(reply);
  }

  /** The request of the next attempt. Only the first one hurries others. */
  ReleaseRequest request() {
    tries++;
    return new ReleaseRequest(resource, owner, contended && tries == 1);
  }

  /** Goes on with the answer to an attempt, and with another attempt if there is none. */
  void follow(CompletionStage<ReleaseResult> reply) {
    reply.whenComplete(this::answered);
  }

  private void answered(@Nullable ReleaseResult answer, @Nullable Throwable fault) {
    if (fault != null || answer == null) {
      Throwable cause = fault != null ? fault : new NullPointerException("no answer");
      firstAnswer.completeExceptionally(engine.queries().explain(resource, cause));
      retry(new ReleaseResult.Unknown(cause)); // refused now is not refused for ever
    } else if (answer instanceof ReleaseResult.Unknown unknown) {
      retry(unknown);
    } else {
      settled.complete(null);
      firstAnswer.complete(answer); // after a try without an answer "not held" means it worked then
    }
  }

  private void retry(ReleaseResult.Unknown unknown) {
    long now = context.now();
    if (now - leaseEnd >= 0) {
      log.warn("{}: no answer to its release; its lease is over now", resource, unknown.cause());
      settled.complete(null);
    } else {
      long delay = Math.min(MOST_DELAY, FIRST_DELAY << Math.min(tries - 1, 10));
      context.scheduler().schedule(delay, this::attempt);
      context.events().releaseFailed(resource, owner, unknown.cause());
    }
    firstAnswer.complete(unknown);
  }
}
