package io.holdfast.redis.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * How one kind of resource is kept in Redis: which script with which keys and arguments. Answers
 * are those of the scripts; {@link RedisBackend} reads them.
 */
interface RedisLock {
  /** The tick alone, {1, tick, others wait since or 0, now} or {0, ms, 0, now}. */
  CompletionStage<List<Object>> acquire(AcquireRequest request, String meta, String highestTick);

  /**
   * 1 if held, else 0.
   *
   * @param contended true to have those told first who wait
   */
  CompletionStage<Long> release(String key, Owner owner, String highestTick, boolean contended);

  /** 1 if held by one of those who are meant, else 0. */
  CompletionStage<Long> force(String key, Holders holders, String highestTick);

  /** The answer of an inspecting script. */
  CompletionStage<List<Object>> inspect(String key);

  /**
   * How long a waiter that was given the lock has time to be heard of: longer than the second after
   * which waiters look by themselves, so that a lost message does not cost the turn.
   */
  String CLAIM_WINDOW_MILLIS = "1500";

  /** One holder: the key itself is the lock. */
  record Exclusive(LettuceClient redis, LockNames.Memory names) implements RedisLock {
    @Override
    public CompletionStage<List<Object>> acquire(
        AcquireRequest request, String meta, String highestTick) {
      LockNames lock = names.of(request.key());
      String[] args = {
        request.owner().toString(),
        Long.toString(request.leaseMillis()),
        meta,
        highestTick,
        request.enqueue() ? Long.toString(request.waiterTtlMillis()) : "0",
        Meta.note(request.note()),
        lock.bucket()
      };
      if (request.enqueue() && request.queuedMicros() > 0) {
        args = Arrays.copyOf(args, args.length + 3);
        args[args.length - 3] = Long.toString(request.waitedMicros());
        args[args.length - 2] = CLAIM_WINDOW_MILLIS;
        args[args.length - 1] = Long.toString(request.queuedMicros());
      } else if (request.enqueue() && request.waitedMicros() > 0) {
        args = Arrays.copyOf(args, args.length + 1);
        args[args.length - 1] = Long.toString(request.waitedMicros());
      }
      return redis.evalList(LuaScript.ACQUIRE, lock.keys(), args);
    }

    @Override
    public CompletionStage<Long> release(
        String key, Owner owner, String highestTick, boolean contended) {
      LockNames lock = names.of(key);
      String[] args = {owner.toString(), highestTick, lock.bucket()};
      return contended
          ? redis.evalMessagesFirst(LuaScript.RELEASE, lock.keys(), args)
          : redis.evalNumber(LuaScript.RELEASE, lock.keys(), args);
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
      String[] args = {
        request.owner().toString(),
        Long.toString(request.leaseMillis()),
        meta,
        highestTick,
        request.enqueue() ? Long.toString(request.waiterTtlMillis()) : "0",
        Meta.note(request.note()),
        pool.bucket(),
        kind.text(),
        Integer.toString(request.claim().amount()),
        Integer.toString(request.claim().limit()),
        request.claim().overtakes() ? "1" : "0"
      };
      if (request.enqueue() && request.queuedMicros() > 0) {
        args = Arrays.copyOf(args, args.length + 2);
        args[args.length - 2] = CLAIM_WINDOW_MILLIS;
        args[args.length - 1] = Long.toString(request.queuedMicros());
      }
      return redis.evalList(LuaScript.POOL_ACQUIRE, pool.keys(), args);
    }

    @Override
    public CompletionStage<Long> release(
        String key, Owner owner, String highestTick, boolean contended) {
      LockNames pool = names.of(key);
      String[] args = {owner.toString(), highestTick, pool.bucket()};
      return contended
          ? redis.evalMessagesFirst(LuaScript.POOL_RELEASE, pool.keys(), args)
          : redis.evalNumber(LuaScript.POOL_RELEASE, pool.keys(), args);
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
}
