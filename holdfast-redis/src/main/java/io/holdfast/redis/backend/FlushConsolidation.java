package io.holdfast.redis.backend;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;

/**
 * Sends a few commands of several threads that are ready at the same time with one write. One that
 * is alone is sent at once, as ever.
 */
final class FlushConsolidation implements NettyCustomizer {
  /** Few enough that the server has begun with them while the next are written. */
  private static final int MOST = 6;

  @Override
  public void afterChannelInitialized(Channel channel) {
    channel.pipeline().addFirst(new FlushConsolidationHandler(MOST, true));
  }
}
