package io.holdfast.redis.backend;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;

/**
 * Writes commands that several threads send at the same time together. A single command is written
 * at once.
 */
final class FlushConsolidation implements NettyCustomizer {
  /** Few enough that the server starts on them while the next commands are written. */
  private static final int MOST = 6;

  @Override
  public void afterChannelInitialized(Channel channel) {
    channel.pipeline().addFirst(new FlushConsolidationHandler(MOST, true));
  }
}
