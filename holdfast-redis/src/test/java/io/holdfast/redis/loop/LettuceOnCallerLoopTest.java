package io.holdfast.redis.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testservers.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Properties of an event loop on which Lettuce relies. */
@Isolated
@Timeout(300)
class LettuceOnCallerLoopTest {
  /** Delays one flush. */
  private static final class HeldFlush extends ChannelOutboundHandlerAdapter
      implements NettyCustomizer {
    final CompletableFuture<Void> reached = new CompletableFuture<>();
    final CompletableFuture<Void> goOn = new CompletableFuture<>();
    volatile boolean armed;

    @Override
    public boolean isSharable() {
      return true;
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
      channel.pipeline().addFirst(this);
    }

    @Override
    public void flush(ChannelHandlerContext context) {
      if (armed) {
        armed = false;
        reached.complete(null);
        goOn.join();
        context.channel().close(); // the other side has hung up
      }
      context.flush();
    }
  }

  /**
   * Lettuce has a read-write lock: a write holds it shared; closing, and the loop at the end of a
   * connection, want it exclusively. If the loop handled the end inside a write, it would wait for
   * the closing thread, which waits for the write.
   */
  @Test
  void aConnectionThatEndsInAWriteWhileAnotherThreadClosesItDoesNotHang() throws Exception {
    HeldFlush held = new HeldFlush();
    CallerLoop loop = new CallerLoop("loop under test");
    ClientResources resources =
        DefaultClientResources.builder()
            .eventLoopGroupProvider(new CallerLoopProvider(loop))
            .nettyCustomizer(held)
            .build();
    RedisClient client = RedisClient.create(resources, RedisServer.shared().url());
    client.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .autoReconnect(false)
            .build());
    StatefulRedisConnection<String, String> connection = client.connect();
    assertThat(connection.sync().ping()).isEqualTo("PONG");
    held.armed = true;
    CompletableFuture<?> writes = inAThread(() -> connection.async().ping());
    held.reached.get(60, TimeUnit.SECONDS);
    CompletableFuture<?> closes = inAThread(connection::closeAsync);
    Thread.sleep(100); // wants the lock exclusively by now
    held.goOn.complete(null);
    writes.get(60, TimeUnit.SECONDS);
    closes.get(60, TimeUnit.SECONDS);
    client.shutdown(); // not after a failure, since it would hang, too
    resources.shutdown(0, 2, TimeUnit.SECONDS);
    loop.shutdownGracefully(0, 2, TimeUnit.SECONDS);
  }

  private static CompletableFuture<?> inAThread(Runnable work) {
    return CompletableFuture.runAsync(
        work,
        task -> {
          Thread thread = new Thread(task);
          thread.setDaemon(true);
          thread.start();
        });
  }
}
