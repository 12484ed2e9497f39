package io.holdfast.redis.backend;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisReactiveCommandsImpl;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.pubsub.PubSubEndpoint;
import io.lettuce.core.pubsub.RedisPubSubReactiveCommandsImpl;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnectionImpl;
import io.lettuce.core.pubsub.api.reactive.RedisPubSubReactiveCommands;
import io.lettuce.core.pubsub.api.sync.RedisPubSubCommands;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A client whose connections have asynchronous commands only. A plain Lettuce client gives every
 * new connection all three kinds of commands: it generates a class with a thousand methods for the
 * blocking ones, and the reactive ones need hundreds of classes. Only {@link LettuceClient} sees
 * these connections, and it uses none of that.
 *
 * <p>The class depends on internals of Lettuce, and stays because short processes gain so much:
 * from the start of the JVM to the first lock a process takes 0.95 s of processor time and 0.55 s
 * at best, and with a plain client 1.36 s and 0.72 s (see ADR 18). {@link LeanClientSupport} looks
 * for these internals; without them the plain client is used.
 */
final class LeanRedisClient extends RedisClient {
  LeanRedisClient(ClientResources resources, RedisURI uri) {
    super(resources, uri);
  }

  @Override
  protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
      RedisChannelWriter writer, PushHandler pushes, RedisCodec<K, V> codec, Duration timeout) {
    return new Commands<>(writer, pushes, codec, timeout);
  }

  @Override
  protected <K, V> StatefulRedisPubSubConnectionImpl<K, V> newStatefulRedisPubSubConnection(
      PubSubEndpoint<K, V> endpoint,
      RedisChannelWriter writer,
      RedisCodec<K, V> codec,
      Duration timeout) {
    return new Messages<>(endpoint, writer, codec, timeout);
  }

  private static UnsupportedOperationException asyncOnly() {
    return new UnsupportedOperationException("this connection has asynchronous commands only");
  }

  private static final class Commands<K, V> extends StatefulRedisConnectionImpl<K, V> {
    Commands(
        RedisChannelWriter writer, PushHandler pushes, RedisCodec<K, V> codec, Duration timeout) {
      super(writer, pushes, codec, timeout);
    }

    @Override
    protected @Nullable RedisCommands<K, V> newRedisSyncCommandsImpl() {
      return null;
    }

    @Override
    protected @Nullable RedisReactiveCommandsImpl<K, V> newRedisReactiveCommandsImpl() {
      return null;
    }

    @Override
    public RedisCommands<K, V> sync() {
      throw asyncOnly();
    }

    @Override
    public RedisReactiveCommands<K, V> reactive() {
      throw asyncOnly();
    }
  }

  private static final class Messages<K, V> extends StatefulRedisPubSubConnectionImpl<K, V> {
    Messages(
        PubSubEndpoint<K, V> endpoint,
        RedisChannelWriter writer,
        RedisCodec<K, V> codec,
        Duration timeout) {
      super(endpoint, writer, codec, timeout);
    }

    @Override
    protected @Nullable RedisPubSubCommands<K, V> newRedisSyncCommandsImpl() {
      return null;
    }

    @Override
    protected @Nullable RedisPubSubReactiveCommandsImpl<K, V> newRedisReactiveCommandsImpl() {
      return null;
    }

    @Override
    public RedisPubSubCommands<K, V> sync() {
      throw asyncOnly();
    }

    @Override
    public RedisPubSubReactiveCommands<K, V> reactive() {
      throw asyncOnly();
    }
  }
}
