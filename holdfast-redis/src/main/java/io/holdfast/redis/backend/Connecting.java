package io.holdfast.redis.backend;

import io.holdfast.redis.loop.CallerLoop;
import io.holdfast.redis.loop.CallerLoopProvider;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What connections run on: an event loop of ours that callers do the work of, and the rest that
 * Lettuce needs; or what the application has lent, which is left alone.
 */
final class Connecting implements AutoCloseable {
  /** Lettuce would wait for up to half a minute; locks expire sooner. */
  private static final Delay RECONNECT_DELAY =
      Delay.exponential(Duration.ofMillis(5), Duration.ofSeconds(1), 2, TimeUnit.MILLISECONDS);

  private final ClientResources resources;
  private final boolean lent;
  private final @Nullable CallerLoop loop;

  private Connecting(ClientResources resources, boolean lent, @Nullable CallerLoop loop) {
    this.resources = resources;
    this.lent = lent;
    this.loop = loop;
  }

  /** With event loops to share, or null for some of our own. */
  static Connecting with(@Nullable ClientResources lent) {
    if (lent != null) {
      return new Connecting(lent, true, null);
    }
    if (!CallerLoopProvider.isPossible()) {
      return new Connecting(newResources().ioThreadPoolSize(2).build(), false, null);
    }
    CallerLoop loop = new CallerLoop("holdfast-redis-io");
    try {
      ClientResources resources =
          newResources().eventLoopGroupProvider(new CallerLoopProvider(loop)).build();
      return new Connecting(resources, false, loop);
    } catch (RuntimeException | Error e) {
      end(loop);
      throw e;
    }
  }

  private static DefaultClientResources.Builder newResources() {
    return DefaultClientResources.builder()
        .computationThreadPoolSize(2)
        .reconnectDelay(RECONNECT_DELAY)
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .eventBus(new RecordedEvents())
        .nettyCustomizer(new FewerWrites());
  }

  ClientResources resources() {
    return resources;
  }

  /**
   * Sends something, on the calling thread where possible. It must hold no locks.
   *
   * @throws RejectedExecutionException after the end
   */
  void send(Runnable sending) {
    if (loop != null) {
      loop.run(sending);
    } else {
      sending.run();
    }
  }

  /** See {@link io.holdfast.spi.LockBackend#assist}. */
  void assist(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    if (loop != null) {
      loop.await(awaited, nanos);
    }
  }

  @Override
  public void close() {
    try {
      if (!lent) {
        resources.shutdown(0, 2, TimeUnit.SECONDS);
      }
    } finally {
      if (loop != null) {
        end(loop);
      }
    }
  }

  private static void end(CallerLoop loop) {
    loop.shutdownGracefully(0, 2, TimeUnit.SECONDS);
  }
}
