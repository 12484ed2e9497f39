package io.holdfast.redis.backend;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that are being made. Lettuce closes those that it has when its client is shut down,
 * but the socket of one that is made meanwhile stays open for good. So its end is waited for.
 */
final class Openings {
  private static final Logger log = LoggerFactory.getLogger(Openings.class);

  private final Map<Object, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();

  /** A connection is being made from now on. */
  <T> CompletableFuture<T> begun(CompletionStage<T> connecting) {
    CompletableFuture<T> opening = connecting.toCompletableFuture();
    Object place = new Object();
    underWay.put(place, opening);
    return opening.whenComplete((connection, fault) -> underWay.remove(place));
  }

  /** Waits until none is being made, or the time is over. */
  void awaitEnd(Duration patience) {
    CompletableFuture<?>[] ends =
        underWay.values().stream()
            .map(opening -> opening.handle((connection, fault) -> fault))
            .toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(ends).get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.debug("a connection is still being made when its client is shut down", e);
    }
  }
}
