package io.holdfast.bench.lock;

import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock on Redis. */
final class ShedLockRedisClient implements LockClient {
  private final LettuceConnectionFactory connections;
  private final RedisLockProvider provider;

  ShedLockRedisClient(ClientSettings settings) {
    this.connections = SpringRedis.connect(settings);
    this.provider = new RedisLockProvider(connections);
  }

  @Override
  public BenchLock lock(String key) {
    return new ShedLock(provider, key);
  }

  @Override
  public void close() {
    connections.destroy();
  }
}
