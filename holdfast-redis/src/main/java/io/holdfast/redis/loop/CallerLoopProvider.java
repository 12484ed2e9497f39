package io.holdfast.redis.loop;

import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.TimeUnit;

/** Lets Lettuce run all connections of a client on one {@link CallerLoop}. */
public final class CallerLoopProvider implements EventLoopGroupProvider {
  private final CallerLoop loop;

  /** Runs connections on this loop. */
  public CallerLoopProvider(CallerLoop loop) {
    this.loop = loop;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T extends EventLoopGroup> T allocate(Class<T> type) {
    return (T) (EventLoopGroup) loop; // Lettuce only takes loops from it
  }

  @Override
  public int threadPoolSize() {
    return 1;
  }

  @Override
  public Future<Boolean> release(
      EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
    return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true); // ends with the client
  }

  @Override
  public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
    DefaultPromise<Boolean> ended = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
    loop.shutdownGracefully(quietPeriod, timeout, unit).addListener(done -> ended.setSuccess(true));
    return ended;
  }
}
