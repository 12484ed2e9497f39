package io.holdfast.redis.backend;

import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection on which this client receives messages: it is subscribed to the inbox. {@link
 * MessageHealth} decides when a new connection replaces it.
 */
final class MessageConnection implements MessageHealth.Subscription {
  private final Supplier<CompletableFuture<StatefulRedisPubSubConnection<String, String>>> connect;
  private final String inbox;
  private final Consumer<String> onMessage;
  private final Supplier<RedisConnectionStateListener> reconnects;
  private final Supplier<CompletionStage<?>> ping;

  /** Guarded by this. */
  private boolean closed;

  private volatile @Nullable StatefulRedisPubSubConnection<String, String> current;

  /**
   * @param connect opens a connection
   * @param inbox the channel to subscribe to
   * @param onMessage called with every message, on whichever thread has read it
   * @param reconnects makes a listener for each connection
   * @param ping asks for a sign of life on the connection for commands
   */
  MessageConnection(
      Supplier<CompletableFuture<StatefulRedisPubSubConnection<String, String>>> connect,
      String inbox,
      Consumer<String> onMessage,
      Supplier<RedisConnectionStateListener> reconnects,
      Supplier<CompletionStage<?>> ping) {
    this.connect = connect;
    this.inbox = inbox;
    this.onMessage = onMessage;
    this.reconnects = reconnects;
    this.ping = ping;
  }

  /** Opens a connection and subscribes it; {@link #use} puts it to use. */
  CompletableFuture<StatefulRedisPubSubConnection<String, String>> open() {
    return connect.get().thenCompose(this::subscribe);
  }

  private CompletionStage<StatefulRedisPubSubConnection<String, String>> subscribe(
      StatefulRedisPubSubConnection<String, String> connection) {
    connection.addListener(
        new RedisPubSubAdapter<String, String>() {
          @Override
          public void message(String channel, String message) {
            onMessage.accept(message);
          }
        });
    connection.addListener(reconnects.get());
    return connection
        .async()
        .subscribe(inbox)
        .thenApply(done -> connection)
        .whenComplete(
            (done, fault) -> {
              if (fault != null) {
                connection.closeAsync();
              }
            });
  }

  /** Replaces the present connection, and closes it. */
  void use(StatefulRedisPubSubConnection<String, String> connection) {
    StatefulRedisPubSubConnection<String, String> unused = connection;
    synchronized (this) {
      if (!closed) {
        unused = current;
        current = connection;
      }
    }
    if (unused != null) {
      unused.closeAsync();
    }
  }

  /**
   * Subscribes once more, which has no effect on a subscribed connection. The server answers on the
   * same connection, unless this client has lost its right to the channel.
   */
  @Override
  public CompletionStage<?> confirm() {
    StatefulRedisPubSubConnection<String, String> connection = current;
    return connection == null
        ? CompletableFuture.failedFuture(new IllegalStateException("not connected yet"))
        : connection.async().subscribe(inbox);
  }

  @Override
  public CompletionStage<?> replace() {
    return open().thenAccept(this::use);
  }

  @Override
  public CompletionStage<?> askStore() {
    return ping.get();
  }

  boolean isOpen() {
    StatefulRedisPubSubConnection<String, String> connection = current;
    return connection != null && connection.isOpen();
  }

  /** Accepts no further connection; the client closes the present one. */
  synchronized void close() {
    closed = true;
  }
}
