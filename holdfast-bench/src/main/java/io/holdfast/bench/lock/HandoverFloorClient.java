package io.holdfast.bench.lock;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;

/**
 * The floor of a hand-over: the script that gives a lock up makes the one who waits its owner and
 * publishes that, and the message wakes a thread. No queue, no token, no lease that is renewed,
 * nobody who could be dead, one waiter at most: two processes that pass a lock through Redis by a
 * message cannot do less on this client.
 */
final class HandoverFloorClient implements LockClient {
  private static final String CHANNEL = "bench:floor:";

  private final String me = UUID.randomUUID().toString();
  private final Semaphore granted = new Semaphore(0);
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final StatefulRedisPubSubConnection<String, String> messages;
  private final String acquire;
  private final String release;

  HandoverFloorClient(ClientSettings settings) {
    this.client = RedisClient.create(settings.url());
    this.connection = client.connect();
    this.messages = client.connectPubSub();
    messages.addListener(
        new RedisPubSubAdapter<String, String>() {
          @Override
          public void message(String channel, String message) {
            granted.release();
          }
        });
    messages.sync().subscribe(CHANNEL + me);
    this.acquire = connection.sync().scriptLoad(FloorScripts.text("floor-wait"));
    this.release = connection.sync().scriptLoad(FloorScripts.text("floor-hand-over"));
  }

  @Override
  public BenchLock lock(String key) {
    return new Floor(new String[] {key, key + ":next"});
  }

  @Override
  public void close() {
    messages.close();
    connection.close();
    client.shutdown();
  }

  private final class Floor implements BenchLock {
    private final String[] keys;

    Floor(String[] keys) {
      this.keys = keys;
    }

    @Override
    public Object acquire() throws InterruptedException {
      if (call(acquire, keys, me) == 0) {
        granted.acquire();
      }
      return this;
    }

    @Override
    public void release(Object held) {
      try {
        call(release, keys, me, CHANNEL);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }

    private long call(String script, String[] keys, String... args) throws InterruptedException {
      try {
        Long answer =
            connection.async().<Long>evalsha(script, ScriptOutputType.INTEGER, keys, args).get();
        return answer;
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
  }
}
