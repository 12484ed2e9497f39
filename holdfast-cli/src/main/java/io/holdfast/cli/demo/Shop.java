package io.holdfast.cli.demo;

import io.holdfast.DistributedLock;
import io.holdfast.LockException;
import io.holdfast.LockInfo;
import io.holdfast.LockManager;
import io.lettuce.core.RedisException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The stock and the record of sales, as the demo itself sees them. It never touches a key that was
 * there before, and removes its own when it closes. Should it be killed before that, they expire.
 */
final class Shop implements AutoCloseable {
  /** After this time Redis forgets what a killed demo has left behind. */
  static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(1);

  /** Stands before the sales: only a list that exists can be told to expire. */
  private static final String FIRST_ENTRY = "opening";

  private static final long LOCK_CLEARING_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final StockServer server;
  private final DemoKeys keys;
  private final LockManager manager;
  private final StockConnection connection;
  private final RedisCommands<String, String> redis;

  /**
   * How far a round has come.
   *
   * @param left what the stock says is left
   * @param sold how many sales there were
   */
  record Tally(long left, long sold) {}

  private Shop(StockServer server, DemoKeys keys, LockManager manager, StockConnection connection) {
    this.server = server;
    this.keys = keys;
    this.manager = manager;
    this.connection = connection;
    this.redis = connection.commands();
  }

  /** Connects, and takes possession of the keys. */
  static Shop open(StockServer server, DemoKeys keys, int stock) {
    LockManager manager = null;
    StockConnection connection = null;
    try {
      manager =
          LockManager.builder(StockServer.patient(server.url()))
              .shutdownHook(false) // CleanUp needs it at the exit, and closes it
              .build();
      connection = new StockConnection(server.url());
      Shop shop = new Shop(server, keys, manager, connection);
      shop.reserve(stock);
      return shop;
    } catch (LockException | RedisException | DemoRefusedException e) {
      close(manager);
      close(connection);
      throw new DemoRefusedException(String.valueOf(e.getMessage()), e);
    }
  }

  private void reserve(int stock) {
    boolean used = redis.exists(keys.stock(), keys.sold(), keys.lock()) > 0;
    if (used || redis.set(keys.stock(), String.valueOf(stock), expiring().nx()) == null) {
      throw new DemoRefusedException(
          ("there is something under %s, %s or %s at %s already; choose another --key"
                  + " (what a killed demo leaves behind is gone after a minute)")
              .formatted(keys.stock(), keys.sold(), keys.lock(), server.address()),
          null);
    }
  }

  /** Fills the shelf and forgets all sales. */
  void restock(int stock) {
    redis.set(keys.stock(), String.valueOf(stock), expiring());
    redis.del(keys.sold());
    redis.rpush(keys.sold(), FIRST_ENTRY);
    redis.expire(keys.sold(), FORGOTTEN_AFTER);
  }

  /** How things stand. */
  Tally tally() {
    redis.expire(keys.sold(), FORGOTTEN_AFTER);
    String left = redis.get(keys.stock());
    if (left == null) {
      throw new DemoFailedException("somebody has removed the key " + keys.stock(), null);
    }
    return new Tally(Long.parseLong(left), redis.llen(keys.sold()) - 1);
  }

  /** All sales since the shelf was filled. */
  Sales sales() {
    return Sales.of(redis.lrange(keys.sold(), 1, -1));
  }

  /** To be called when no worker is left, because it takes their lock away. */
  @Override
  public void close() {
    try {
      if (!server.isEmbedded()) {
        clearLock(manager.getLock(keys.lock()));
        redis.del(keys.stock(), keys.sold());
      }
    } catch (RedisException | LockException e) {
      throw new DemoFailedException(
          "could not remove the keys of the demo, which expire by themselves: " + e.getMessage(),
          e);
    } finally {
      close(manager);
      close(connection);
    }
  }

  /**
   * Workers that were killed may have left the lock held and places in its queue. A lock taken by
   * force goes to the next in the queue, so it may take more than one attempt.
   */
  private static void clearLock(DistributedLock lock) {
    long start = System.nanoTime();
    LockInfo info = lock.info();
    while ((info.isLocked() || !info.waiters().isEmpty())
        && System.nanoTime() - start < LOCK_CLEARING_NANOS) {
      lock.forceUnlock();
      if (lock.tryLock()) {
        lock.unlock();
      }
      info = lock.info();
    }
  }

  private static SetArgs expiring() {
    return SetArgs.Builder.ex(FORGOTTEN_AFTER);
  }

  private static void close(@Nullable LockManager manager) {
    if (manager != null) {
      manager.close();
    }
  }

  private static void close(@Nullable StockConnection connection) {
    if (connection != null) {
      connection.close();
    }
  }
}
