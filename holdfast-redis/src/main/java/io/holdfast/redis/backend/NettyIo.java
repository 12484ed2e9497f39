package io.holdfast.redis.backend;

import io.lettuce.core.resource.DefaultClientResources;
import java.util.concurrent.CompletableFuture;

/** Input and output on the event loops of Lettuce's resources. */
final class NettyIo implements IoDriver {
  static final NettyIo INSTANCE = new NettyIo();
  private static final int THREADS = 2; // one for each connection

  private NettyIo() {}

  @Override
  public String name() {
    return "netty";
  }

  @Override
  public void configure(DefaultClientResources.Builder resources) {
    resources.ioThreadPoolSize(THREADS);
  }

  @Override
  public void send(Runnable sending) {
    sending.run();
  }

  @Override
  public void assist(CompletableFuture<?> awaited, long nanos) {
    // The event loop needs no help.
  }

  @Override
  public void close() {
    // The event loops end with the resources they belong to.
  }
}
