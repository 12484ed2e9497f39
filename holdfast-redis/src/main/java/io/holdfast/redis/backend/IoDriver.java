package io.holdfast.redis.backend;

import io.lettuce.core.resource.DefaultClientResources;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Passes a client's commands and answers between the threads of the application and the sockets.
 *
 * <pre>
 *                    sends                       reads the answer
 *   CallerIo         the calling thread          the calling thread, or the loop thread
 *   NettyIo          the event loop of Netty     the event loop of Netty
 * </pre>
 */
interface IoDriver extends AutoCloseable {
  /**
   * Chooses a driver and starts it.
   *
   * @throws IllegalArgumentException if the class path lacks something that the choice needs
   */
  static IoDriver start(IoChoice choice) {
    if (choice == IoChoice.NETTY) {
      return NettyIo.INSTANCE;
    }
    String missing = CallerIoSupport.missing();
    if (missing == null) {
      return new CallerIo(); // the first mention of a class that needs Netty 4.2
    }
    if (choice == IoChoice.CALLER) {
      throw new IllegalArgumentException(
          "io=caller cannot be used: %s; or use io=netty".formatted(missing));
    }
    return NettyIo.INSTANCE;
  }

  /** The name of the driver, as in the URL. */
  String name();

  /** Configures the connections of a client for this driver. */
  void configure(DefaultClientResources.Builder resources);

  /**
   * Sends commands, on the calling thread where possible. The caller holds no locks.
   *
   * @param sending sends the commands
   * @throws RejectedExecutionException after the driver has been closed
   */
  void send(Runnable sending);

  /** See {@link io.holdfast.spi.LockBackend#assist}. */
  void assist(CompletableFuture<?> awaited, long nanos) throws InterruptedException;

  @Override
  void close();
}
