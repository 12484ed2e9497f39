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

/** Classes that break the rules of the architecture, so that the test can show that they fire. */
public final class ArchitectureViolations {
  private ArchitectureViolations() {}

  /** A backend must know the SPI alone. */
  public record SeesTheApi(LockConfig config) {}

  /** A backend must not know its provider. */
  public record SeesTheShell(RedisBackendProvider provider) {}

  /** The layers below Lettuce are not for this module. */
  public record SeesNetty(Channel channel) {}

  /** Only LettuceClient sends commands. */
  public record SendsCommands(StatefulRedisConnection<String, String> connection) {}

  /** Only MessageConnection receives messages. */
  public static final class HearsMessages extends RedisPubSubAdapter<String, String> {}

  /** Only few classes know Lettuce. */
  public record KnowsLettuce(RedisURI uri) {}

  /** Internals of core may change at any time. */
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
