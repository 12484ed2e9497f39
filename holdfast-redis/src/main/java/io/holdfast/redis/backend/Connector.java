package io.holdfast.redis.backend;

import io.holdfast.spi.BackendException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections to the server of a {@link LettuceClient}, and explains why one cannot be
 * opened. The first connection also tells whether the server is recent enough.
 */
final class Connector {
  private static final Logger log = LoggerFactory.getLogger(Connector.class);
  private static final int OLDEST_SERVER = 6;
  private static final int MOST_ATTEMPTS = 3;
  private static final int CONNECT_TIMEOUTS = 10;

  /** Closing takes milliseconds, or for ever if an {@link Error} has ended an event loop. */
  private static final int MOST_SECONDS_TO_CLOSE = 5;

  private final Openings openings = new Openings();
  private final RedisClient client;
  private final RedisURI uri;
  private final ConnectFaults faults;
  private final Supplier<RedisConnectionStateListener> listeners;

  /**
   * @param options base for the options of the connections
   * @param faults explains why there is no connection
   * @param listeners makes a listener for each connection for commands
   */
  Connector(
      ClientResources resources,
      RedisURI uri,
      ClientOptions options,
      ConnectFaults faults,
      Supplier<RedisConnectionStateListener> listeners) {
    this.client = newClient(resources, uri);
    this.uri = uri;
    this.faults = faults;
    this.listeners = listeners;
    client.setOptions(boundedBy(uri.getTimeout(), options));
  }

  private static RedisClient newClient(ClientResources resources, RedisURI uri) {
    return LeanClientSupport.isPresent()
        ? new LeanRedisClient(resources, uri)
        : RedisClient.create(resources, uri);
  }

  private static ClientOptions boundedBy(Duration timeout, ClientOptions options) {
    return options
        .mutate()
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .timeoutOptions(TimeoutOptions.builder().timeoutSource(new OtherTimeouts(timeout)).build())
        .socketOptions(
            options.getSocketOptions().mutate().connectTimeout(timeout).keepAlive(true).build())
        .build();
  }

  /** Bounds all commands but script calls and what goes with them; see {@link CallTimeouts}. */
  private static final class OtherTimeouts extends TimeoutOptions.TimeoutSource {
    private final Duration timeout;

    OtherTimeouts(Duration timeout) {
      this.timeout = timeout;
    }

    @Override
    public long getTimeout(RedisCommand<?, ?, ?> command) {
      boolean isBounded = command instanceof ScriptCall || command instanceof LeadingPing;
      return isBounded ? 0 : timeout.toMillis();
    }
  }

  /** Opens a connection for commands; the server knows the scripts. */
  CompletableFuture<StatefulRedisConnection<String, String>> openCommands() {
    CompletableFuture<StatefulRedisConnection<String, String>> opening =
        openings.begun(client.connectAsync(StringCodec.UTF8, uri));
    LuaScript[] scripts = LuaScript.values(); // read while the connection is opened
    return opening.thenApply(
        connection -> {
          RedisAsyncCommands<String, String> redis = connection.async();
          for (LuaScript script : scripts) {
            redis.scriptLoad(script.text()); // not awaited: a missing script is sent on demand
          }
          connection.addListener(listeners.get());
          return connection;
        });
  }

  /** Opens a connection for messages, without a subscription. */
  CompletableFuture<StatefulRedisPubSubConnection<String, String>> openMessages() {
    return openings.begun(client.connectPubSubAsync(StringCodec.UTF8, uri));
  }

  // ---- the first connection

  /**
   * Opens the first connection for commands. When a server rejects a client, Lettuce closes the
   * connection and, about once in a hundred times, reports only that it was closed. Another attempt
   * asks for the reason then.
   */
  StatefulRedisConnection<String, String> connect() {
    for (int i = 1; i < MOST_ATTEMPTS; i++) {
      try {
        return checked(await(openCommands()));
      } catch (ExecutionException e) {
        if (!RedisFaults.isEndWithoutReason(e)) {
          throw faults.explain(e);
        }
      }
    }
    return checked(join(openCommands()));
  }

  /** Waits for a connection that is being opened. */
  <T> T join(CompletableFuture<T> opening) {
    try {
      return await(opening);
    } catch (ExecutionException e) {
      throw faults.explain(e);
    }
  }

  /**
   * Each step of connecting has a time-out. The bound of the whole is for a step that never ends
   * because an {@link Error} has ended its thread.
   */
  private <T> T await(CompletableFuture<T> opening) throws ExecutionException {
    long bound = uri.getTimeout().toMillis() * CONNECT_TIMEOUTS;
    try {
      return opening.get(bound, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (TimeoutException e) {
      throw faults.stillNotConnected(bound, e);
    }
  }

  private StatefulRedisConnection<String, String> checked(
      StatefulRedisConnection<String, String> connection) {
    String info;
    try {
      info =
          connection.async().info("server").get(uri.getTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      log.debug("the server does not tell its version", e);
      return connection; // not permitted: then the scripts will show
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (TimeoutException e) {
      throw BackendException.unavailable("Redis at " + faults.address() + " does not answer", e);
    }
    String version = ServerVersion.in(info);
    if (version != null && ServerVersion.major(version) < OLDEST_SERVER) {
      throw new BackendException(
          "Redis at %s is version %s; Holdfast needs %d.0 or newer"
              .formatted(faults.address(), version, OLDEST_SERVER),
          null);
    }
    return connection;
  }

  private BackendException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new BackendException(
        "interrupted while connecting to Redis at " + faults.address(), cause);
  }

  /** Closes all connections. */
  void close() {
    openings.awaitEnd(Duration.ofSeconds(MOST_SECONDS_TO_CLOSE));
    try {
      client.shutdownAsync(0, 0, TimeUnit.SECONDS).get(MOST_SECONDS_TO_CLOSE, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      log.warn("the connections to Redis at {} were not closed in good order", faults.address(), e);
    }
  }
}
