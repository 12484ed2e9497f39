package io.holdfast.redis.backend;

/**
 * Finds out whether this version of Lettuce has the internals that {@link LeanRedisClient} extends.
 * If not, a plain client makes the connections.
 */
final class LeanClientSupport {
  private static final String WRITER = "io.lettuce.core.RedisChannelWriter";
  private static final String PUSHES = "io.lettuce.core.protocol.PushHandler";
  private static final String ENDPOINT = "io.lettuce.core.pubsub.PubSubEndpoint";
  private static final String CODEC = "io.lettuce.core.codec.RedisCodec";
  private static final String DURATION = "java.time.Duration";

  private static final boolean PRESENT = isPresent(ClassPath.ours());

  private LeanClientSupport() {}

  static boolean isPresent() {
    return PRESENT;
  }

  static boolean isPresent(ClassPath path) {
    return path.canExtend(
            "io.lettuce.core.StatefulRedisConnectionImpl", WRITER, PUSHES, CODEC, DURATION)
        && path.canExtend(
            "io.lettuce.core.pubsub.StatefulRedisPubSubConnectionImpl",
            ENDPOINT,
            WRITER,
            CODEC,
            DURATION);
  }
}
