package io.holdfast.testservers;

import io.holdfast.testkit.internal.Threads;
import io.holdfast.testkit.internal.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The messages published to one Redis channel; get one from {@link RespClient#subscribe}. When that
 * returns, the server has confirmed the subscription.
 *
 * <pre>{@code
 * try (RedisSubscription channel = client.subscribe("news")) {
 *   lock.unlock();
 *   assertThat(channel.next(Duration.ofSeconds(5))).startsWith("released");
 * }
 * }</pre>
 *
 * <p>Safe for use by several threads.
 */
public final class RedisSubscription implements AutoCloseable {
  private final RespConnection connection;
  private final String channel;
  private final List<String> received = new CopyOnWriteArrayList<>();
  private final BlockingQueue<String> untaken = new LinkedBlockingQueue<>();

  RedisSubscription(RespConnection connection, String channel) {
    this.connection = connection;
    this.channel = channel;
    try {
      connection.call("SUBSCRIBE", channel);
      connection.setTimeout(0);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot subscribe to " + channel, e);
    }
    Threads.daemon("redis-subscription", this::read);
  }

  /**
   * The next message that no earlier call returned.
   *
   * @throws AssertionError if none comes in time
   */
  public String next(Duration limit) {
    try {
      String message = untaken.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
      if (message == null) {
        throw new AssertionError(
            "no message on " + channel + " in " + limit + "; received before: " + received);
      }
      return message;
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
  }

  /** All messages received so far, also those that {@link #next} returned. */
  public List<String> messages() {
    return List.copyOf(received);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try {
      while (true) {
        if (connection.receive() instanceof List<?> push && "message".equals(push.get(0))) {
          String message = String.valueOf(push.get(2));
          received.add(message);
          untaken.add(message);
        }
      }
    } catch (IOException e) {
      // closed, by us or by the server: nothing more will come
    }
  }
}
