package io.holdfast.redis.backend;

import io.holdfast.testservers.RedisServer;
import java.util.List;
import java.util.Objects;

/** Calls the scripts of one pool by hand, the way the backend does. */
final class PoolCalls implements AutoCloseable {
  /** The answer of pool_acquire.lua. */
  record Answer(boolean granted, long value) {}

  final ScriptCalls scripts;
  final String key;
  private final String kind;
  private final int declared;
  private final long window;

  PoolCalls(RedisServer server, String kind, int declared, long window) {
    this(new ScriptCalls(server), kind, declared, window);
  }

  PoolCalls(ScriptCalls scripts, String kind, int declared, long window) {
    this.scripts = scripts;
    this.key = scripts.key;
    this.kind = kind;
    this.declared = declared;
    this.window = window;
  }

  /** Makes an attempt and does not wait. */
  Answer acquire(String name, int amount, long lease) {
    return attempt(name, amount, lease, false);
  }

  /** Makes an attempt and waits in the queue if necessary, with a subscribed inbox. */
  Answer await(String name, int amount, long lease) {
    scripts.inbox(name);
    return attempt(name, amount, lease, true);
  }

  private Answer attempt(String name, int amount, long lease, boolean enqueue) {
    Object reply =
        scripts.redis.call(
            ScriptCalls.eval(
                scripts.text(LuaScript.POOL_ACQUIRE),
                RedisKeys.ofPool(key),
                scripts.owner(name),
                Long.toString(lease),
                "meta of " + name,
                "0",
                enqueue ? "30000" : "0",
                "note of " + name,
                LockNames.ofPool(key).bucket(),
                kind,
                Integer.toString(amount),
                Integer.toString(declared),
                "0",
                Long.toString(window)));
    if (reply instanceof Long tick) {
      return new Answer(true, tick);
    }
    List<?> answer = (List<?>) Objects.requireNonNull(reply);
    return new Answer(ScriptCalls.number(answer.get(0)) == 1, ScriptCalls.number(answer.get(1)));
  }

  long release(String name) {
    return call(
        scripts.text(LuaScript.POOL_RELEASE),
        scripts.owner(name),
        "0",
        LockNames.ofPool(key).bucket(),
        Long.toString(window));
  }

  long force() {
    return call(LuaScript.POOL_FORCE.text(), "0", Long.toString(window), kind, "all");
  }

  void limit(int number) {
    String limit = Integer.toString(number);
    call(
        LuaScript.POOL_LIMIT.text(),
        "0",
        Long.toString(window),
        kind,
        Integer.toString(declared),
        limit);
  }

  Renewal renewal(String name, int amount) {
    return Renewal.ofPool(key, scripts.owner(name), kind, amount, declared);
  }

  long renew(String name, int amount) {
    return renewal(name, amount).send(scripts.redis);
  }

  boolean holds(String name) {
    return scripts.data().containsKey(scripts.owner(name));
  }

  long used() {
    return Long.parseLong(scripts.data("@used"));
  }

  long millisLeft() {
    return scripts.millisLeft(key);
  }

  private long call(String script, String... args) {
    return ScriptCalls.number(
        scripts.redis.call(ScriptCalls.eval(script, RedisKeys.ofPool(key), args)));
  }

  @Override
  public void close() {
    scripts.close();
  }
}
