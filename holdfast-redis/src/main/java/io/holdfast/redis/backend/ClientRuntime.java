package io.holdfast.redis.backend;

import io.lettuce.core.event.Event;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * The event loops of a client's connections: an {@link IoDriver} and the resources that Lettuce
 * needs. Resources lent by the application bring their own event loops and stay open.
 */
final class ClientRuntime implements AutoCloseable {
  /** By default Lettuce waits for up to half a minute; locks expire sooner. */
  private static final Delay RECONNECT_DELAY =
      Delay.exponential(Duration.ofMillis(5), Duration.ofSeconds(1), 2, TimeUnit.MILLISECONDS);

  private final ClientResources resources;
  private final boolean lent;
  private final IoDriver io;

  private final @Nullable Disposable subscription;

  private ClientRuntime(
      ClientResources resources, boolean lent, IoDriver io, @Nullable Disposable subscription) {
    this.resources = resources;
    this.lent = lent;
    this.io = io;
    this.subscription = subscription;
  }

  /**
   * Starts the driver and the resources.
   *
   * @param lent resources of the application, or null to make some
   * @param choice the driver; of no effect with resources of the application
   * @param events receives Lettuce's events about connections
   */
  static ClientRuntime start(
      @Nullable ClientResources lent, IoChoice choice, Consumer<Event> events) {
    if (lent != null) {
      Disposable subscription = lent.eventBus().get().subscribe(events);
      return new ClientRuntime(lent, true, NettyIo.INSTANCE, subscription);
    }
    IoDriver io = IoDriver.start(choice);
    boolean interrupted = Thread.interrupted(); // Netty's timer loses it while it starts
    try {
      DefaultClientResources.Builder builder =
          DefaultClientResources.builder()
              .computationThreadPoolSize(2)
              .reconnectDelay(RECONNECT_DELAY)
              .commandLatencyRecorder(CommandLatencyRecorder.disabled())
              .eventBus(new RecordedEvents(events))
              .nettyCustomizer(new FlushConsolidation());
      io.configure(builder);
      return new ClientRuntime(builder.build(), false, io, null);
    } catch (RuntimeException | Error e) {
      io.close();
      throw e;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  ClientResources resources() {
    return resources;
  }

  /** The name of the driver, for the log. */
  String io() {
    return lent ? "netty, with the event loops of the application" : io.name();
  }

  /**
   * See {@link IoDriver#send}.
   *
   * @throws RejectedExecutionException after the runtime has been closed
   */
  void send(Runnable sending) {
    io.send(sending);
  }

  /** See {@link io.holdfast.spi.LockBackend#assist}. */
  void assist(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    io.assist(awaited, nanos);
  }

  @Override
  public void close() {
    try {
      if (subscription != null) {
        subscription.dispose();
      }
    } finally {
      try {
        if (!lent) {
          shutDownResources();
        }
      } finally {
        io.close();
      }
    }
  }

  private void shutDownResources() {
    try {
      resources.shutdown(0, 2, TimeUnit.SECONDS);
    } catch (RuntimeException | Error e) {
      endOneByOne(e);
      throw e;
    }
  }

  /** Ends the threads of the resources one by one, after a fault has kept Lettuce from it. */
  private void endOneByOne(Throwable fault) {
    List<Runnable> parts =
        List.of(
            () -> resources.timer().stop(),
            () -> resources.eventExecutorGroup().shutdownGracefully(0, 2, TimeUnit.SECONDS),
            () -> resources.eventLoopGroupProvider().shutdown(0, 2, TimeUnit.SECONDS));
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (RuntimeException | Error e) {
        fault.addSuppressed(e);
      }
    }
  }
}
