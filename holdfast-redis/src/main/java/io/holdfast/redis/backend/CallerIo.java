package io.holdfast.redis.backend;

import io.holdfast.redis.loop.CallerLoop;
import io.holdfast.redis.loop.CallerLoopProvider;
import io.lettuce.core.resource.DefaultClientResources;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs all connections on a {@link CallerLoop}. The loop needs Netty 4.2. No other class outside
 * the package of the loop refers to it, so the JVM loads the loop only where Netty 4.2 is present.
 */
final class CallerIo implements IoDriver {
  private final CallerLoop loop = new CallerLoop("holdfast-redis-io");

  @Override
  public String name() {
    return "caller";
  }

  @Override
  public void configure(DefaultClientResources.Builder resources) {
    resources.eventLoopGroupProvider(new CallerLoopProvider(loop));
  }

  @Override
  public void send(Runnable sending) {
    loop.run(sending);
  }

  @Override
  public void assist(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    loop.await(awaited, nanos);
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 2, TimeUnit.SECONDS);
  }
}
