package io.holdfast.redis.backend;

import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Transports;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only class that sends commands to Redis: one connection for these, shared by all threads and
 * pipelined, and a {@link MessageConnection}. Lettuce reconnects both and renews the subscription.
 * A command that is under way when the connection breaks fails at once and is not sent again,
 * because only the engine knows whether it still wants it. A connection on which nothing is
 * answered any more is given up and replaced: a broken network does not always close it.
 */
public final class LettuceClient implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LettuceClient.class);

  private final ClientRuntime runtime;
  private final Connector connector;
  private final ConnectFaults connectFaults;
  private final ReconnectFaults reconnectFaults;
  private final Runnable onReconnect;
  private final AtomicBoolean replacing = new AtomicBoolean();
  private final TimeSource time;
  private final CallTimeouts timeouts;
  private volatile StatefulRedisConnection<String, String> commands;
  private volatile long lastAnswer;
  private volatile boolean closed;

  private final MessageConnection messages;

  /**
   * Connects and subscribes.
   *
   * @param uri the server
   * @param resources event loops to share, or null to start some
   * @param io who does input and output; of no effect with shared event loops
   * @param options base for the connection's options (TLS, sockets)
   * @param inbox the channel to subscribe to
   * @param onMessage called with every message, on whichever thread has read it
   * @param onReconnect called after a connection has come back
   * @param time what answers and time-outs are dated by
   * @param scheduler for time-outs
   */
  public LettuceClient(
      RedisURI uri,
      @Nullable ClientResources resources,
      IoChoice io,
      ClientOptions options,
      String inbox,
      Consumer<String> onMessage,
      Runnable onReconnect,
      TimeSource time,
      Scheduler scheduler) {
    this.connectFaults = new ConnectFaults(uri);
    this.reconnectFaults = new ReconnectFaults(connectFaults, uri);
    this.onReconnect = onReconnect;
    this.time = time;
    this.lastAnswer = time.nanoTime();
    this.timeouts = new CallTimeouts(time, scheduler, uri.getTimeout());
    this.runtime = ClientRuntime.start(resources, io, reconnectFaults::on);
    try {
      this.connector =
          new Connector(runtime.resources(), uri, options, connectFaults, Reconnects::new);
    } catch (RuntimeException | Error e) {
      runtime.close();
      throw e;
    }
    this.messages =
        new MessageConnection(
            connector::openMessages, inbox, onMessage, Reconnects::new, this::ping);
    try {
      CompletableFuture<StatefulRedisPubSubConnection<String, String>> second = messages.open();
      this.commands = connector.connect();
      messages.use(connector.join(second));
      logRuntime();
    } catch (RuntimeException | Error e) {
      closeApart();
      throw e;
    }
  }

  private void logRuntime() {
    if (log.isDebugEnabled()) {
      log.debug(
          "connected to Redis at {}, io={}, Lettuce {}, Netty {}",
          connectFaults.address(),
          runtime.io(),
          versionOf(RedisClient.class),
          versionOf(Transports.socketChannelClass()));
    }
  }

  private static @Nullable String versionOf(Class<?> part) {
    Package from = part.getPackage();
    return from == null ? null : from.getImplementationVersion();
  }

  /** Options for a connection with nothing special about it. */
  public static ClientOptions plainOptions() {
    return ClientOptions.create();
  }

  // ---- commands

  /** Runs a script that answers with a list. */
  CompletionStage<List<Object>> evalList(LuaScript script, String[] keys, String... args) {
    return eval(script, () -> new NestedMultiOutput<>(StringCodec.UTF8), null, keys, args);
  }

  /** Runs a script that answers with a number. */
  CompletionStage<Long> evalNumber(LuaScript script, String[] keys, String... args) {
    return eval(script, () -> new IntegerOutput<>(StringCodec.UTF8), null, keys, args);
  }

  /**
   * Runs a script that answers with a number, after a {@code PING} in the same packet: then the
   * server sends the messages of the script before its answer. See {@link LeadingPing}.
   */
  CompletionStage<Long> evalMessagesFirst(LuaScript script, String[] keys, String... args) {
    return eval(script, () -> new IntegerOutput<>(StringCodec.UTF8), new LeadingPing(), keys, args);
  }

  /** Sends the commands of these requests in one packet. */
  void together(Runnable requests) {
    try {
      runtime.send(requests); // a task of the loop ends before its commands are written
    } catch (RejectedExecutionException e) {
      requests.run(); // each request is refused
    }
  }

  /** Asks for a sign of life. */
  CompletionStage<String> ping() {
    long sentAt = time.nanoTime();
    CompletableFuture<String> result = new CompletableFuture<>();
    commands.async().ping().whenComplete((pong, fault) -> finish(result, pong, fault, sentAt));
    return result;
  }

  private <T> CompletionStage<T> eval(
      LuaScript script,
      Supplier<CommandOutput<String, String, T>> output,
      @Nullable LeadingPing ping,
      String[] keys,
      String... args) {
    CompletableFuture<T> result = new CompletableFuture<>();
    StatefulRedisConnection<String, String> connection = commands;
    long sentAt = time.nanoTime();
    send(
        connection,
        ping,
        CommandType.EVALSHA,
        output.get(),
        new ScriptArgs(script.sha(), keys, args),
        (value, fault) -> {
          if (fault != null && RedisFaults.isMissingScript(fault)) {
            ScriptArgs withText = new ScriptArgs(script.text(), keys, args);
            sendText(connection, output.get(), withText, sentAt, result);
          } else {
            finish(result, value, fault, sentAt);
          }
        });
    return result;
  }

  private <T> void sendText(
      StatefulRedisConnection<String, String> connection,
      CommandOutput<String, String, T> output,
      ScriptArgs args,
      long sentAt,
      CompletableFuture<T> result) {
    send(
        connection,
        null,
        CommandType.EVAL,
        output,
        args,
        (value, fault) -> finish(result, value, fault, sentAt));
  }

  private <T> void send(
      StatefulRedisConnection<String, String> connection,
      @Nullable LeadingPing ping,
      CommandType type,
      CommandOutput<String, String, T> output,
      ScriptArgs args,
      BiConsumer<@Nullable T, @Nullable Throwable> listener) {
    ScriptCall<T> call = new ScriptCall<>(type, output, args, timeouts, listener);
    timeouts.sent(call);
    try {
      runtime.send(() -> dispatch(connection, ping, call));
    } catch (RejectedExecutionException e) {
      call.completeExceptionally(e);
    }
  }

  /**
   * Runs as a task of the loop, so that nothing of Lettuce is locked when other tasks run on this
   * thread after it.
   */
  private static void dispatch(
      StatefulRedisConnection<String, String> connection,
      @Nullable LeadingPing ping,
      ScriptCall<?> call) {
    try {
      if (ping != null) {
        connection.dispatch(ping);
      }
      connection.dispatch(call);
    } catch (RuntimeException | Error e) {
      call.completeExceptionally(e);
    }
  }

  private <T> void finish(
      CompletableFuture<T> result, @Nullable T value, @Nullable Throwable fault, long sentAt) {
    if (fault == null) {
      lastAnswer = sentAt;
      result.complete(value);
      return;
    }
    Throwable cause = RedisFaults.unwrap(fault);
    result.completeExceptionally(reconnectFaults.explain(cause));
    if (cause instanceof RedisCommandTimeoutException && lastAnswer - sentAt < 0) {
      replaceConnections();
    }
  }

  /** See {@link io.holdfast.spi.LockBackend#assist}. */
  void assist(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    runtime.assist(awaited, nanos);
  }

  // ---- connections

  MessageConnection messages() {
    return messages;
  }

  /** How many of the two connections are open now; one that Lettuce is reconnecting is not. */
  int openConnections() {
    return (commands.isOpen() ? 1 : 0) + (messages.isOpen() ? 1 : 0);
  }

  /** Opens new connections and drops the present ones, on which nothing is answered. */
  private void replaceConnections() {
    if (closed || !replacing.compareAndSet(false, true)) {
      return;
    }
    log.warn("no answer from Redis at {}; connecting anew", connectFaults.address());
    CompletableFuture<StatefulRedisConnection<String, String>> first = connector.openCommands();
    CompletableFuture<StatefulRedisPubSubConnection<String, String>> second = messages.open();
    first
        .thenAcceptBoth(second, this::swap)
        .whenComplete(
            (done, fault) -> {
              replacing.set(false);
              if (fault == null) {
                onReconnect.run();
              } else {
                reconnectFaults.failed(fault);
                first.thenAccept(StatefulRedisConnection::closeAsync);
                second.thenAccept(StatefulRedisPubSubConnection::closeAsync);
              }
            });
  }

  private void swap(
      StatefulRedisConnection<String, String> newCommands,
      StatefulRedisPubSubConnection<String, String> newMessages) {
    StatefulRedisConnection<String, String> oldCommands = commands;
    commands = newCommands;
    oldCommands.closeAsync();
    messages.use(newMessages);
  }

  /** Reports that Lettuce has reconnected a connection. */
  private final class Reconnects implements RedisConnectionStateListener {
    private final AtomicBoolean wasDown = new AtomicBoolean();

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
      wasDown.set(true);
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
      if (wasDown.getAndSet(false) && !closed) {
        reconnectFaults.connected();
        onReconnect.run();
      }
    }
  }

  /** On a thread that nobody interrupts: Lettuce stops half-way when it is interrupted. */
  @Override
  public void close() {
    closed = true;
    messages.close();
    shutDown();
  }

  /** The same for a caller that may be interrupted and does not wait for it. */
  void closeApart() {
    try {
      Thread closing = new Thread(this::close, "holdfast-redis-close");
      closing.setDaemon(true);
      closing.start();
    } catch (OutOfMemoryError e) { // no thread to be had
      close();
    }
  }

  private void shutDown() {
    try {
      connector.close();
    } finally {
      runtime.close();
    }
  }
}
