package io.holdfast.redis.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Owner;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Count-down latches in Redis: their scripts with keys and arguments. */
record RedisLatches(LettuceClient redis) {
  /** {1, ...} if the latch is open, {0, ...} if not. */
  CompletionStage<List<Object>> pass(AcquireRequest request, String meta) {
    return redis.evalList(
        LuaScript.LATCH_PASS,
        RedisKeys.ofLatch(request.key()),
        request.owner().toString(),
        meta,
        request.enqueue() ? "1" : "0",
        Long.toString(request.waiterTtlMillis()),
        Meta.note(request.note()));
  }

  /** Stops waiting. */
  CompletionStage<Long> leave(String key, Owner owner) {
    return count(key, "leave", owner.toString());
  }

  /** 1 if the count was set, 0 if the latch has one already. */
  CompletionStage<Long> set(String key, long count) {
    return count(key, "set", Long.toString(count));
  }

  /** The new count, -1 if the latch was open. */
  CompletionStage<Long> down(String key) {
    return count(key, "down");
  }

  /** 1 if the latch was closed, 0 if it was open. */
  CompletionStage<Long> open(String key) {
    return count(key, "open");
  }

  /** The count and the waiters. */
  CompletionStage<List<Object>> inspect(String key) {
    return redis.evalList(LuaScript.LATCH_INSPECT, RedisKeys.ofLatch(key));
  }

  /** The count. */
  CompletionStage<Long> read(String key) {
    return count(key, "read");
  }

  private CompletionStage<Long> count(String key, String... args) {
    return redis.evalNumber(LuaScript.LATCH_COUNT, RedisKeys.ofLatch(key), args);
  }
}
