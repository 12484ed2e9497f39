package io.holdfast.redis.backend;

import io.holdfast.testservers.RespClient;
import java.util.ArrayList;
import java.util.List;

/** One renewal of a batch, as arguments of {@code renew.lua}; by default for 30 s. */
record Renewal(
    String key,
    String owner,
    long lease,
    String kind,
    int amount,
    int declared,
    long tick,
    String meta) {

  static Renewal ofLock(String key, String owner) {
    return new Renewal(key, owner, 30_000, "lock", 1, 1, 0, "");
  }

  static Renewal ofPool(String key, String owner, String kind, int amount, int declared) {
    return new Renewal(key, owner, 30_000, kind, amount, declared, 0, "");
  }

  Renewal lease(long millis) {
    return new Renewal(key, owner, millis, kind, amount, declared, tick, meta);
  }

  Renewal orResume(long withTick, String withMeta) {
    return new Renewal(key, owner, lease, kind, amount, declared, withTick, withMeta);
  }

  /** Returns the code of each renewal. */
  static List<Long> send(RespClient redis, List<Renewal> batch) {
    List<String> keys = new ArrayList<>(List.of(RedisKeys.FENCE));
    List<String> args = new ArrayList<>(List.of("0", Long.toString(ScriptCalls.WINDOW)));
    for (Renewal each : batch) {
      keys.addAll(
          List.of(
              each.key,
              RedisKeys.queue(each.key),
              RedisKeys.waiters(each.key),
              RedisKeys.leases(each.key)));
      args.addAll(
          List.of(
              each.owner,
              Long.toString(each.lease),
              each.kind,
              Integer.toString(each.amount),
              Integer.toString(each.declared),
              Long.toString(each.tick),
              each.meta));
    }
    String[] command =
        ScriptCalls.eval(LuaScript.RENEW, keys.toArray(String[]::new), args.toArray(String[]::new));
    return redis.list(command).stream().map(ScriptCalls::number).toList();
  }

  long send(RespClient redis) {
    return send(redis, List.of(this)).get(0);
  }
}
