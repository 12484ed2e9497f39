package io.holdfast.bench.lock;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The connection to Redis that Spring's libraries share: Lettuce with Spring's defaults. */
final class SpringRedis {
  private SpringRedis() {}

  static LettuceConnectionFactory connect(ClientSettings settings) {
    LettuceConnectionFactory factory =
        new LettuceConnectionFactory(
            new RedisStandaloneConfiguration(settings.host(), settings.port()));
    factory.afterPropertiesSet();
    factory.start();
    return factory;
  }
}
