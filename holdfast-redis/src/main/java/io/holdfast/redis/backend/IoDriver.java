package io.holdfast.redis.backend;

import io.lettuce.core.resource.DefaultClientResources;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * How a client's commands and answers pass between the threads of the application and the sockets.
 *
 * <pre>
 *                    sends                       reads the answer
 *   CallerIo         the calling thread          the calling thread, or the loop's own
 *   NettyIo          the event loop of Netty     the event loop of Netty
 * </pre>
 */
interface IoDriver extends AutoCloseable {
  /**
   * Chooses a driver and starts what it needs.
   *
   * @throws IllegalArgumentException if the class path does not have what the choice needs
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

  /** As in the URL. */
  String name();

  /** Makes the connections of a client use this driver. */
  void configure(DefaultClientResources.Builder resources);

  /**
   * Sends something, on the calling thread where possible. The caller holds no locks.
   *
   * @throws RejectedExecutionException after the end
   */
  void send(Runnable sending);

  /** See {@link io.holdfast.spi.LockBackend#assist}. */
  void assist(CompletableFuture<?> awaited, long nanos) throws InterruptedException;

  @Override
  void close();
}
