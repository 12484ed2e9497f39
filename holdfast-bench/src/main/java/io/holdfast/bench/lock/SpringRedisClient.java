package io.holdfast.bench.lock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's RedisLockRegistry in either of its modes. */
final class SpringRedisClient implements LockClient {
  private static final String REGISTRY = "bench";

  private final LettuceConnectionFactory connections;
  private final RedisLockRegistry registry;
  private @Nullable ThreadPoolTaskScheduler renewal;

  SpringRedisClient(ClientSettings settings) {
    this.connections = SpringRedis.connect(settings);
    Duration lease = settings.lease();
    if (lease == null) {
      this.registry = new RedisLockRegistry(connections, REGISTRY);
    } else {
      this.registry = new RedisLockRegistry(connections, REGISTRY, lease);
      ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
      scheduler.setPoolSize(4);
      scheduler.initialize();
      registry.setRenewalTaskScheduler(scheduler);
      this.renewal = scheduler;
    }
    registry.setRedisLockType(
        switch (settings.kind()) {
          case SPIN, PLAIN -> RedisLockType.SPIN_LOCK;
          case PUBSUB -> RedisLockType.PUB_SUB_LOCK;
          default -> throw Clients.noSuchKind(settings.kind());
        });
  }

  @Override
  public BenchLock lock(String key) {
    return new JavaLock(registry.obtain(key));
  }

  @Override
  public void close() {
    registry.destroy();
    if (renewal != null) {
      renewal.shutdown();
    }
    connections.destroy();
  }
}
