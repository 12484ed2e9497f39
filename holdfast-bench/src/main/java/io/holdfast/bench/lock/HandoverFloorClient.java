package io.holdfast.bench.lock;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;

/**
 * The floor of a hand-over: the script that gives a lock up makes the first who waits its owner and
 * publishes that, and the message wakes a thread. No token, no lease that is renewed, nobody who
 * could be dead or leave: processes that pass a lock in order through Redis by a message cannot do
 * less on this client.
 */
final class HandoverFloorClient implements LockClient {
  private final String me = UUID.randomUUID().toString();
  private final Map<String, Semaphore> grants = new ConcurrentHashMap<>();
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
          public void message(String channel, String owner) {
            Semaphore grant = grants.get(owner);
            if (grant != null) {
              grant.release();
            }
          }
        });
    messages.sync().subscribe(me);
    this.acquire = connection.sync().scriptLoad(FloorScripts.text("floor-wait"));
    this.release = connection.sync().scriptLoad(FloorScripts.text("floor-hand-over"));
  }

  @Override
  public BenchLock lock(String key) {
    Floor lock = new Floor(new String[] {key, key + ":queue"}, me + ":" + grants.size());
    grants.put(lock.owner, lock.granted);
    return lock;
  }

  @Override
  public void close() {
    messages.close();
    connection.close();
    client.shutdown();
  }

  private final class Floor implements BenchLock {
    private final String[] keys;
    private final String owner;
    private final Semaphore granted = new Semaphore(0);

    Floor(String[] keys, String owner) {
      this.keys = keys;
      this.owner = owner;
    }

    @Override
    public Object acquire() throws InterruptedException {
      if (call(acquire) == 0) {
        granted.acquire();
      }
      return this;
    }

    @Override
    public void release(Object held) {
      try {
        if (call(release) == 0) {
          throw new IllegalStateException("the floor was used by two at a time");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }

    private long call(String script) throws InterruptedException {
      try {
        return connection
            .async()
            .<Long>evalsha(script, ScriptOutputType.INTEGER, keys, owner)
            .get();
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
  }
}
