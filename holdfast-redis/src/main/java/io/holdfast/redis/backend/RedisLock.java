package io.holdfast.redis.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One kind of resource in Redis: its scripts with their keys and arguments. Answers are those of
 * the scripts; {@link RedisBackend} reads them.
 */
interface RedisLock {
  /** The answer of {@code acquire.lua} or {@code pool_acquire.lua}. */
  CompletionStage<List<Object>> acquire(AcquireRequest request, String meta, String highestTick);

  /**
   * 1 if the owner held anything, else 0.
   *
   * @param contended true to notify the waiters before the answer is sent
   */
  CompletionStage<Long> release(String key, Owner owner, String highestTick, boolean contended);

  /** 1 if one of these holders held anything, else 0. */
  CompletionStage<Long> force(String key, Holders holders, String highestTick);

  /** The answer of an inspecting script. */
  CompletionStage<List<Object>> inspect(String key);

  /**
   * The time that a waiter has to claim a grant: longer than the second after which waiters look by
   * themselves, so that a lost message does not cost the turn.
   */
  String CLAIM_WINDOW_MILLIS = "1500";

  /** One holder: the key itself is the lock. */
  record Exclusive(LettuceClient redis, LockNames.Memory names) implements RedisLock {
    @Override
    public CompletionStage<List<Object>> acquire(
        AcquireRequest request, String meta, String highestTick) {
      LockNames lock = names.of(request.key());
      String[] args = attempt(request, meta, highestTick, lock, waiting(request));
      return redis.evalList(LuaScript.ACQUIRE, lock.keys(), args);
    }

    private static String[] waiting(AcquireRequest request) {
      String waited = Long.toString(request.waitedMicros());
      if (request.enqueue() && request.queuedMicros() > 0) {
        return new String[] {CLAIM_WINDOW_MILLIS, waited, Long.toString(request.queuedMicros())};
      }
      if (request.enqueue() && request.waitedMicros() > 0) {
        return new String[] {CLAIM_WINDOW_MILLIS, waited};
      }
      return new String[] {CLAIM_WINDOW_MILLIS};
    }

    @Override
    public CompletionStage<Long> release(
        String key, Owner owner, String highestTick, boolean contended) {
      return RedisLock.release(
          redis, LuaScript.RELEASE, names.of(key), owner, highestTick, contended);
    }

    @Override
    public CompletionStage<Long> force(String key, Holders holders, String highestTick) {
      return redis.evalNumber(LuaScript.FORCE, RedisKeys.of(key), highestTick, CLAIM_WINDOW_MILLIS);
    }

    @Override
    public CompletionStage<List<Object>> inspect(String key) {
      return redis.evalList(
          LuaScript.INSPECT, new String[] {key, RedisKeys.queue(key), RedisKeys.waiters(key)});
    }
  }

  /** Several holders, each with an amount and a lease of its own. */
  record Pool(LettuceClient redis, Resource.Kind kind, LockNames.Memory names)
      implements RedisLock {
    @Override
    public CompletionStage<List<Object>> acquire(
        AcquireRequest request, String meta, String highestTick) {
      LockNames pool = names.of(request.key());
      String[] args = attempt(request, meta, highestTick, pool, claim(request));
      return redis.evalList(LuaScript.POOL_ACQUIRE, pool.keys(), args);
    }

    private String[] claim(AcquireRequest request) {
      boolean isQueued = request.enqueue() && request.queuedMicros() > 0;
      String[] claim = new String[isQueued ? 6 : 5];
      claim[0] = kind.text();
      claim[1] = Integer.toString(request.claim().amount());
      claim[2] = Integer.toString(request.claim().limit());
      claim[3] = request.claim().overtakes() ? "1" : "0";
      claim[4] = CLAIM_WINDOW_MILLIS;
      if (isQueued) {
        claim[5] = Long.toString(request.queuedMicros());
      }
      return claim;
    }

    @Override
    public CompletionStage<Long> release(
        String key, Owner owner, String highestTick, boolean contended) {
      return RedisLock.release(
          redis, LuaScript.POOL_RELEASE, names.of(key), owner, highestTick, contended);
    }

    @Override
    public CompletionStage<Long> force(String key, Holders holders, String highestTick) {
      return redis.evalNumber(
          LuaScript.POOL_FORCE,
          RedisKeys.ofPool(key),
          highestTick,
          CLAIM_WINDOW_MILLIS,
          kind.text(),
          holders.text());
    }

    @Override
    public CompletionStage<List<Object>> inspect(String key) {
      return redis.evalList(
          LuaScript.POOL_INSPECT,
          new String[] {key, RedisKeys.queue(key), RedisKeys.waiters(key), RedisKeys.leases(key)});
    }
  }

  /** The arguments of an attempt: those that all kinds of resource begin with, and more. */
  private static String[] attempt(
      AcquireRequest request, String meta, String highestTick, LockNames names, String[] more) {
    String[] args = new String[7 + more.length];
    args[0] = request.owner().toString();
    args[1] = Long.toString(request.leaseMillis());
    args[2] = meta;
    args[3] = highestTick;
    args[4] = request.enqueue() ? Long.toString(request.waiterTtlMillis()) : "0";
    args[5] = Meta.note(request.note());
    args[6] = names.bucket();
    System.arraycopy(more, 0, args, 7, more.length);
    return args;
  }

  private static CompletionStage<Long> release(
      LettuceClient redis,
      LuaScript script,
      LockNames names,
      Owner owner,
      String highestTick,
      boolean contended) {
    String[] args = {owner.toString(), highestTick, names.bucket(), CLAIM_WINDOW_MILLIS};
    return contended
        ? redis.evalMessagesFirst(script, names.keys(), args)
        : redis.evalNumber(script, names.keys(), args);
  }
}
