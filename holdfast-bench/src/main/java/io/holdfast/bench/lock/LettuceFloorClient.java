package io.holdfast.bench.lock;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

/**
 * The floor: one script call to acquire, one to release, on one connection, and nothing else. No
 * lock that is safe can cost less on this client. It cannot wait, so it is only measured where
 * nobody else wants the lock.
 */
final class LettuceFloorClient implements LockClient {
  private static final String LEASE_MILLIS = "30000";

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisAsyncCommands<String, String> redis;
  private final String acquire;
  private final String release;

  LettuceFloorClient(ClientSettings settings) {
    this.client = RedisClient.create(settings.url());
    this.connection = client.connect();
    this.redis = connection.async();
    this.acquire = load("floor-acquire.lua");
    this.release = load("floor-release.lua");
  }

  @Override
  public BenchLock lock(String key) {
    return new Floor(new String[] {key}, UUID.randomUUID().toString());
  }

  private String load(String name) {
    try (InputStream in = LettuceFloorClient.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("no script " + name);
      }
      String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return connection.sync().scriptLoad(script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }

  private final class Floor implements BenchLock {
    private final String[] keys;
    private final String owner;

    Floor(String[] keys, String owner) {
      this.keys = keys;
      this.owner = owner;
    }

    @Override
    public Object acquire() throws InterruptedException {
      expectOne(redis.evalsha(acquire, ScriptOutputType.INTEGER, keys, owner, LEASE_MILLIS));
      return this;
    }

    @Override
    public void release(Object held) {
      try {
        expectOne(redis.evalsha(release, ScriptOutputType.INTEGER, keys, owner));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }

    private void expectOne(RedisFuture<Long> reply) throws InterruptedException {
      try {
        if (reply.get() != 1) {
          throw new IllegalStateException("the floor was used by two at a time");
        }
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
  }
}
