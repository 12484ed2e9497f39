package io.holdfast.redis.backend;

import io.holdfast.LockConfig;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.redis.RedisBackendProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.netty.channel.Channel;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;

/** Classes that break the rules of the architecture, so that its test can show that it notices. */
public final class ArchitectureViolations {
  private ArchitectureViolations() {}

  /** A backend must know the SPI alone. */
  public record SeesTheApi(LockConfig config) {}

  /** A backend must not know who opens it. */
  public record SeesTheShell(RedisBackendProvider provider) {}

  /** What is below Lettuce is none of our business. */
  public record SeesNetty(Channel channel) {}

  /** Only LettuceClient sends commands. */
  public record SendsCommands(StatefulRedisConnection<String, String> connection) {}

  /** Only LettuceClient hears messages. */
  public static final class HearsMessages extends RedisPubSubAdapter<String, String> {}

  /** Lettuce is to be known in few places. */
  public record KnowsLettuce(RedisURI uri) {}

  /** What is internal to core may change any day. */
  public record ReachesIntoCore(LockEngine engine) {}

  /** Time is injected. */
  public static final class ReadsMillis {
    final long time = System.currentTimeMillis();
  }

  /** Time is injected. */
  public static final class ReadsAnInstant {
    final Instant time = Instant.now();
  }

  /** Time is injected. */
  public static final class ReadsAClock {
    final long time = Clock.systemUTC().millis();
  }

  /** Time is injected. */
  @SuppressWarnings("JavaUtilDate")
  public static final class ReadsADate {
    final Date time = new Date();
  }
}
