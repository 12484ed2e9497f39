package io.holdfast.redis.backend;

import io.holdfast.spi.BackendException;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Transports;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only class that sends commands to Redis: one connection for these, shared by all threads and
 * pipelined, and a {@link MessageConnection}. Lettuce reconnects both and subscribes again by
 * itself. A command that is under way when the connection breaks fails at once and is not sent
 * again behind our back, because only the engine knows whether it still wants it. A connection on
 * which nothing is answered any more is given up and replaced: a broken network does not always
 * close it.
 */
public final class LettuceClient implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LettuceClient.class);
  private static final int OLDEST_SERVER = 6;
  private static final int MOST_QUESTIONS = 3;
  private static final int CONNECT_TIMEOUTS = 10;

  /** Closing takes milliseconds, or for ever if an {@link Error} has ended an event loop. */
  private static final int MOST_SECONDS_TO_CLOSE = 5;

  private final ClientRuntime runtime;
  private final RedisClient client;
  private final RedisURI uri;
  private final ConnectFaults connectFaults;
  private final ReconnectFaults reconnectFaults;
  private final Runnable onReconnect;
  private final Openings openings = new Openings();
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
   * @param resources event loops to share, or null for some of our own
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
    this.uri = uri;
    this.connectFaults = new ConnectFaults(uri);
    this.reconnectFaults = new ReconnectFaults(connectFaults, uri);
    this.onReconnect = onReconnect;
    ClientOptions used = boundedBy(uri.getTimeout(), options);
    this.time = time;
    this.lastAnswer = time.nanoTime();
    this.timeouts = new CallTimeouts(time, scheduler, uri.getTimeout());
    this.runtime = ClientRuntime.start(resources, io, reconnectFaults::on);
    try {
      this.client = newClient(runtime.resources(), uri);
      client.setOptions(used);
    } catch (RuntimeException | Error e) {
      runtime.close();
      throw e;
    }
    this.messages =
        new MessageConnection(
            () -> openings.begun(client.connectPubSubAsync(StringCodec.UTF8, uri)),
            inbox,
            onMessage,
            Reconnects::new,
            this::ping);
    try {
      CompletableFuture<StatefulRedisPubSubConnection<String, String>> second = messages.open();
      this.commands = connectOrSayWhyNot();
      checkVersion();
      messages.use(join(second));
      logRuntime();
    } catch (RuntimeException | Error e) {
      closeApart();
      throw e;
    }
  }

  private static RedisClient newClient(ClientResources resources, RedisURI uri) {
    return LeanClientSupport.isPresent()
        ? new LeanRedisClient(resources, uri)
        : RedisClient.create(resources, uri);
  }

  private void logRuntime() {
    if (log.isDebugEnabled()) {
      log.debug(
          "connected to Redis at {}, io={}, Lettuce {}, Netty {}",
          address(),
          runtime.io(),
          versionOf(RedisClient.class),
          versionOf(Transports.socketChannelClass()));
    }
  }

  private static @Nullable String versionOf(Class<?> part) {
    Package from = part.getPackage();
    return from == null ? null : from.getImplementationVersion();
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

  /** Options that suit a connection with nothing special about it. */
  public static ClientOptions plainOptions() {
    return ClientOptions.create();
  }

  // ---- commands

  /** Runs a script that gives a list. */
  CompletionStage<List<Object>> evalList(LuaScript script, String[] keys, String... args) {
    return eval(script, () -> new NestedMultiOutput<>(StringCodec.UTF8), null, keys, args);
  }

  /** Runs a script that gives a number. */
  CompletionStage<Long> evalNumber(LuaScript script, String[] keys, String... args) {
    return eval(script, () -> new IntegerOutput<>(StringCodec.UTF8), null, keys, args);
  }

  /**
   * Runs a script that gives a number, after a {@code PING} in the same packet: then the server
   * sends the messages of the script before its answer. See {@link LeadingPing}.
   */
  CompletionStage<Long> evalMessagesFirst(LuaScript script, String[] keys, String... args) {
    return eval(script, () -> new IntegerOutput<>(StringCodec.UTF8), new LeadingPing(), keys, args);
  }

  /** Sends what is asked for by these requests with one packet. */
  void together(Runnable requests) {
    try {
      runtime.send(requests); // what is sent by a task of the loop is written after it
    } catch (RejectedExecutionException e) {
      requests.run(); // and each will be refused
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
      @Nullable LeadingPing forerunner,
      String[] keys,
      String... args) {
    CompletableFuture<T> result = new CompletableFuture<>();
    StatefulRedisConnection<String, String> connection = commands;
    long sentAt = time.nanoTime();
    send(
        connection,
        forerunner,
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
      @Nullable LeadingPing forerunner,
      CommandType type,
      CommandOutput<String, String, T> output,
      ScriptArgs args,
      BiConsumer<@Nullable T, @Nullable Throwable> listener) {
    ScriptCall<T> call = new ScriptCall<>(type, output, args, timeouts, listener);
    timeouts.sent(call);
    try {
      runtime.send(() -> dispatch(connection, forerunner, call));
    } catch (RejectedExecutionException e) {
      call.completeExceptionally(e);
    }
  }

  /**
   * As a task of the loop, so that nothing of Lettuce is locked when other tasks run on this thread
   * after it.
   */
  private static void dispatch(
      StatefulRedisConnection<String, String> connection,
      @Nullable LeadingPing forerunner,
      ScriptCall<?> call) {
    try {
      if (forerunner != null) {
        connection.dispatch(forerunner);
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

  /** How many of the two are open now; one that is being made again is not. */
  int openConnections() {
    return (commands.isOpen() ? 1 : 0) + (messages.isOpen() ? 1 : 0);
  }

  private CompletableFuture<StatefulRedisConnection<String, String>> openCommands() {
    CompletableFuture<StatefulRedisConnection<String, String>> opening =
        openings.begun(client.connectAsync(StringCodec.UTF8, uri));
    LuaScript[] scripts = LuaScript.values(); // read while the connection is made
    return opening.thenApply(
        connection -> {
          RedisAsyncCommands<String, String> redis = connection.async();
          for (LuaScript script : scripts) {
            redis.scriptLoad(script.text()); // not awaited: a missing script is sent on demand
          }
          connection.addListener(new Reconnects());
          return connection;
        });
  }

  /** Nothing is answered on the present connections: opens new ones and drops the old. */
  private void replaceConnections() {
    if (closed || !replacing.compareAndSet(false, true)) {
      return;
    }
    log.warn("no answer from Redis at {}; connecting anew", address());
    CompletableFuture<StatefulRedisConnection<String, String>> first = openCommands();
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

  /** Hears when Lettuce has brought a connection back. */
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

  private void checkVersion() {
    String info;
    try {
      info =
          commands.async().info("server").get(uri.getTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      log.debug("the server does not tell its version", e);
      return; // not permitted: then the scripts will show
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BackendException("interrupted while connecting to Redis at " + address(), e);
    } catch (TimeoutException e) {
      throw BackendException.unavailable("Redis at " + address() + " does not answer", e);
    }
    String version = ServerVersion.in(info);
    if (version != null && ServerVersion.major(version) < OLDEST_SERVER) {
      throw new BackendException(
          "Redis at %s is version %s; Holdfast needs %d.0 or newer"
              .formatted(address(), version, OLDEST_SERVER),
          null);
    }
  }

  /**
   * When a server turns a client away, Lettuce closes the connection, and sometimes tells only that
   * it was closed, about once in a hundred times. Then the server is asked for its reason again.
   */
  private StatefulRedisConnection<String, String> connectOrSayWhyNot() {
    for (int i = 1; i < MOST_QUESTIONS; i++) {
      try {
        return await(openCommands());
      } catch (ExecutionException e) {
        if (!RedisFaults.isEndWithoutReason(e)) {
          throw connectFaults.explain(e);
        }
      }
    }
    return join(openCommands());
  }

  private <T> T join(CompletableFuture<T> opening) {
    try {
      return await(opening);
    } catch (ExecutionException e) {
      throw connectFaults.explain(e);
    }
  }

  /**
   * Each step of connecting has a time-out. The bound of the whole is for a step that never ends
   * because an {@link Error} has ended the thread that it ran on.
   */
  private <T> T await(CompletableFuture<T> opening) throws ExecutionException {
    long bound = uri.getTimeout().toMillis() * CONNECT_TIMEOUTS;
    try {
      return opening.get(bound, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (TimeoutException e) {
      throw connectFaults.stillNotConnected(bound, e);
    }
  }

  private BackendException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new BackendException("interrupted while connecting to Redis at " + address(), cause);
  }

  private String address() {
    return connectFaults.address();
  }

  /** On a thread that nobody interrupts: Lettuce stops half-way when it is interrupted. */
  @Override
  public void close() {
    closed = true;
    messages.close();
    shutDown();
  }

  /** The same for a caller that may be interrupted, and that it does not keep. */
  void closeApart() {
    try {
      Thread closing = new Thread(this::close, "holdfast-redis-close");
      closing.setDaemon(true);
      closing.start();
    } catch (OutOfMemoryError e) { // no thread to be had
      close();
    }
  }

  /**
   * For commands other than script calls, which have {@link CallTimeouts}, and what goes with them.
   */
  private static final class OtherTimeouts extends TimeoutOptions.TimeoutSource {
    private final Duration timeout;

    OtherTimeouts(Duration timeout) {
      this.timeout = timeout;
    }

    @Override
    public long getTimeout(RedisCommand<?, ?, ?> command) {
      boolean bounded = command instanceof ScriptCall || command instanceof LeadingPing;
      return bounded ? 0 : timeout.toMillis();
    }
  }

  private void shutDown() {
    openings.awaitEnd(Duration.ofSeconds(MOST_SECONDS_TO_CLOSE));
    try {
      client.shutdownAsync(0, 0, TimeUnit.SECONDS).get(MOST_SECONDS_TO_CLOSE, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      log.warn("the connections to Redis at {} were not closed in good order", address(), e);
    } finally {
      runtime.close();
    }
  }
}
