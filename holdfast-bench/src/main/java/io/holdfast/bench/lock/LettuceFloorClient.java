package io.holdfast.bench.lock;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

/**
 * The floor: one script call to acquire, one to release, on one connection, and nothing else. No
 * lock that is safe can cost less on this client. It cannot wait, so it is only measured where
 * nobody else wants the lock.
 */
final class LettuceFloorClient implements LockClient {
  private final FloorScripts scripts;
  private final boolean awaitsRelease;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisAsyncCommands<String, String> redis;
  private final String acquire;
  private final String release;

  LettuceFloorClient(ClientSettings settings, FloorScripts scripts) {
    this.scripts = scripts;
    this.awaitsRelease = settings.kind() != LockKind.PIPELINED;
    this.client = RedisClient.create(settings.url());
    this.connection = client.connect();
    this.redis = connection.async();
    this.acquire = connection.sync().scriptLoad(scripts.acquire());
    this.release = connection.sync().scriptLoad(scripts.release());
  }

  @Override
  public BenchLock lock(String key) {
    return new Floor(key, UUID.randomUUID() + ":1");
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }

  private final class Floor implements BenchLock {
    private final String[] keys;
    private final String[] acquireArgs;
    private final String[] releaseArgs;

    Floor(String key, String owner) {
      this.keys = scripts.keys(key);
      this.acquireArgs = scripts.acquireArgs(key, owner);
      this.releaseArgs = scripts.releaseArgs(key, owner);
    }

    @Override
    public Object acquire() throws InterruptedException {
      expectSuccess(redis.evalsha(acquire, ScriptOutputType.INTEGER, keys, acquireArgs));
      return this;
    }

    @Override
    public void release(Object held) {
      RedisFuture<Long> reply = redis.evalsha(release, ScriptOutputType.INTEGER, keys, releaseArgs);
      if (!awaitsRelease) {
        return;
      }
      try {
        expectSuccess(reply);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }

    private void expectSuccess(RedisFuture<Long> reply) throws InterruptedException {
      try {
        if (reply.get() < 1) {
          throw new IllegalStateException("the floor was used by two at a time");
        }
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
  }
}
