package io.holdfast.redis.backend;

import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RedisSubscription;
import io.holdfast.testservers.RespClient;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Calls the scripts by hand, the way the backend does, on one lock with a key of its own, and reads
 * the data they leave. Owners are written {@code client:tenure}, for instance {@code "a:1"}.
 */
final class ScriptCalls implements AutoCloseable {
  /** The claim window; long, so that a slow machine sees a grant before it ends. */
  static final long WINDOW = 10_000;

  static final String SEPARATOR = String.valueOf(Meta.SEPARATOR);
  private static final int PREFIX = 8;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final RespClient redis;
  final String key;
  private final String clientPrefix = UUID.randomUUID().toString().substring(0, PREFIX);
  private final Map<String, RedisSubscription> inboxes = new HashMap<>();
  private FastPath fastPath = FastPath.AS_IS;

  ScriptCalls(RedisServer server) {
    this(server, "scripts:" + UUID.randomUUID());
  }

  ScriptCalls(RedisServer server, String key) {
    this.redis = server.client();
    this.key = key;
  }

  /** The owner with this short name, unique on the server. */
  String owner(String name) {
    return clientPrefix + name;
  }

  /** The short name of an owner; other texts stay as they are. */
  static String nameOf(String owner) {
    return owner.startsWith("@") || owner.length() < PREFIX ? owner : owner.substring(PREFIX);
  }

  // ---- acquire

  /** One attempt, as a set of arguments. */
  record Attempt(
      String owner,
      long lease,
      String meta,
      long floor,
      boolean enqueue,
      long ttl,
      long window,
      String note,
      long waited,
      long queued) {
    Attempt lease(long millis) {
      return new Attempt(owner, millis, meta, floor, enqueue, ttl, window, note, waited, queued);
    }

    Attempt meta(String text) {
      return new Attempt(owner, lease, text, floor, enqueue, ttl, window, note, waited, queued);
    }

    Attempt floor(long tick) {
      return new Attempt(owner, lease, meta, tick, enqueue, ttl, window, note, waited, queued);
    }

    Attempt orWait(long believedFor) {
      return new Attempt(
          owner, lease, meta, floor, true, believedFor, window, note, waited, queued);
    }

    Attempt window(long millis) {
      return new Attempt(owner, lease, meta, floor, enqueue, ttl, millis, note, waited, queued);
    }

    Attempt waited(long micros) {
      return new Attempt(owner, lease, meta, floor, enqueue, ttl, window, note, micros, queued);
    }

    Attempt queued(long micros) {
      return new Attempt(owner, lease, meta, floor, enqueue, ttl, window, note, waited, micros);
    }

    Attempt note(String text) {
      return new Attempt(owner, lease, meta, floor, enqueue, ttl, window, text, waited, queued);
    }
  }

  /**
   * The answer of acquire.lua.
   *
   * @param value the tick of a grant, else the time left
   * @param othersSince since when the first of the others waits, or 0
   */
  record Answer(boolean granted, long value, long othersSince, long now, boolean passedOver) {
    boolean contended() {
      return othersSince > 0;
    }
  }

  /** An attempt with a lease of 30 s, without waiting. */
  Attempt by(String name) {
    return new Attempt(owner(name), 30_000, "meta of " + name, 0, false, 3000, WINDOW, "", 0, 0);
  }

  Answer acquire(Attempt attempt) {
    List<String> args =
        new ArrayList<>(
            List.of(
                attempt.owner(),
                Long.toString(attempt.lease()),
                attempt.meta(),
                Long.toString(attempt.floor()),
                attempt.enqueue() ? Long.toString(attempt.ttl()) : "0",
                attempt.note(),
                LockNames.of(key).bucket(),
                Long.toString(attempt.window())));
    if (attempt.waited() > 0 || attempt.queued() > 0) {
      args.add(Long.toString(attempt.waited()));
    }
    if (attempt.queued() > 0) {
      args.add(Long.toString(attempt.queued()));
    }
    Object reply =
        redis.call(
            eval(fastPath.text(LuaScript.ACQUIRE), RedisKeys.of(key), args.toArray(String[]::new)));
    if (reply instanceof Long tick) {
      return new Answer(true, tick, 0, tick, false);
    }
    List<?> answer = (List<?>) Objects.requireNonNull(reply);
    return new Answer(
        number(answer.get(0)) == 1,
        number(answer.get(1)),
        number(answer.get(2)),
        number(answer.get(3)),
        answer.size() == 5);
  }

  /** Takes the lock for 30 s. */
  Answer acquire(String name) {
    return acquire(by(name));
  }

  /** Waits in the queue, with a subscribed inbox. */
  Answer await(String name) {
    return await(name, 0);
  }

  /** Waits in the queue, after having waited already. */
  Answer await(String name, long waitedMicros) {
    inbox(name);
    return acquire(by(name).orWait(60_000).waited(waitedMicros));
  }

  /** From now on calls the scripts with their fast paths as given. */
  void use(FastPath from) {
    fastPath = from;
  }

  /** The text of the script for the server. */
  String text(LuaScript script) {
    return fastPath.text(script);
  }

  /** Deletes the lock by hand, without its holder's knowledge. */
  void deleteLock() {
    redis.call("DEL", key);
  }

  // ---- the other scripts

  long release(String name) {
    return release(name, 0);
  }

  long release(String name, long floor) {
    return release(name, floor, WINDOW);
  }

  long release(String name, long floor, long window) {
    return number(
        redis.call(
            eval(
                fastPath.text(LuaScript.RELEASE),
                RedisKeys.of(key),
                owner(name),
                Long.toString(floor),
                LockNames.of(key).bucket(),
                Long.toString(window))));
  }

  long force() {
    return number(redis.call(eval(LuaScript.FORCE, RedisKeys.of(key), "0", Long.toString(WINDOW))));
  }

  List<?> inspect() {
    String[] keys = {key, RedisKeys.queue(key), RedisKeys.waiters(key)};
    return redis.list(eval(LuaScript.INSPECT, keys));
  }

  static String[] eval(LuaScript script, String[] keys, String... args) {
    return eval(script.text(), keys, args);
  }

  static String[] eval(String text, String[] keys, String... args) {
    List<String> command = new ArrayList<>(List.of("EVAL", text));
    command.add(Integer.toString(keys.length));
    command.addAll(List.of(keys));
    command.addAll(List.of(args));
    return command.toArray(String[]::new);
  }

  // ---- data

  /** The hash at the lock's key. */
  Map<String, String> data() {
    return hash(key);
  }

  /** One field of it, for instance {@code @tick}. */
  String data(String field) {
    return text(redis.call("HGET", key, field));
  }

  Map<String, String> hash(String of) {
    List<?> flat = redis.list("HGETALL", of);
    Map<String, String> fields = new HashMap<>();
    for (int i = 0; i < flat.size(); i += 2) {
      fields.put(text(flat.get(i)), text(flat.get(i + 1)));
    }
    return fields;
  }

  /** The waiting owners in order, by their full names. */
  List<String> queue() {
    return redis.list("ZRANGE", RedisKeys.queue(key), "0", "-1").stream()
        .map(ScriptCalls::text)
        .toList();
  }

  /** The fields of a waiter: since, alive until, lease, amount, note, meta. */
  String[] waiter(String name) {
    return text(redis.call("HGET", RedisKeys.waiters(key), owner(name))).split(SEPARATOR, 6);
  }

  /** Changes the waiter into one that is believed dead. */
  void pretendDead(String name) {
    String[] fields = waiter(name);
    fields[1] = Long.toString(serverMicros() - 1);
    redis.call("HSET", RedisKeys.waiters(key), owner(name), String.join(SEPARATOR, fields));
  }

  boolean exists(String which) {
    return number(redis.call("EXISTS", which)) == 1;
  }

  long millisLeft(String of) {
    return number(redis.call("PTTL", of));
  }

  /** The last tick of the lock's bucket. */
  long fence() {
    return Long.parseLong(text(redis.call("HGET", RedisKeys.FENCE, bucket(key))));
  }

  /** Writes the last tick of the lock's bucket. */
  void fence(Object tick) {
    redis.call("HSET", RedisKeys.FENCE, bucket(key), String.valueOf(tick));
  }

  /** The field of the fence for a key. */
  static String bucket(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(key.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, 3);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  long serverMicros() {
    List<?> time = redis.list("TIME");
    return Long.parseLong(text(time.get(0))) * 1_000_000 + Long.parseLong(text(time.get(1)));
  }

  // ---- messages

  /** Subscribes to the inbox of this owner's client. */
  void inbox(String name) {
    inboxes.computeIfAbsent(clientOf(name), c -> redis.subscribe(RedisKeys.inbox(c)));
  }

  /** All messages to this owner's client so far; it must have an inbox. */
  List<String> told(String name) {
    String client = clientOf(name);
    return upToNow(Objects.requireNonNull(inboxes.get(client)), RedisKeys.inbox(client));
  }

  /** All messages on a channel so far. */
  List<String> upToNow(RedisSubscription subscription, String channel) {
    String marker = "marker " + UUID.randomUUID();
    redis.call("PUBLISH", channel, marker);
    String message = "";
    while (!message.equals(marker)) {
      message = subscription.next(PATIENCE);
    }
    return subscription.messages().stream().filter(m -> !m.startsWith("marker ")).toList();
  }

  static String message(Object... fields) {
    return String.join(SEPARATOR, List.of(fields).stream().map(String::valueOf).toList());
  }

  private String clientOf(String name) {
    String owner = owner(name);
    return owner.substring(0, owner.indexOf(':'));
  }

  static long number(@Nullable Object reply) {
    return (Long) Objects.requireNonNull(reply);
  }

  static String text(@Nullable Object reply) {
    return (String) Objects.requireNonNull(reply);
  }

  @Override
  public void close() {
    redis.call("DEL", key, RedisKeys.queue(key), RedisKeys.waiters(key), RedisKeys.leases(key));
    inboxes.values().forEach(RedisSubscription::close);
    redis.close();
  }
}
