package io.holdfast.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The simplest possible Redis client, so that a test can look at the server with other eyes than
 * those of the code it tests: one socket, one command at a time, no reconnecting.
 *
 * <pre>{@code
 * try (RespClient client = redis.client();
 *     RedisMonitor monitor = client.monitor()) {
 *   lock.lock();
 *   assertThat(client.call("EXISTS", "the-key")).isEqualTo(1L);
 *   assertThat(monitor.commands()).filteredOn(c -> c.name().equals("EVALSHA")).hasSize(1);
 * }
 * }</pre>
 *
 * <p>Not safe for use by several threads.
 */
public final class RespClient implements AutoCloseable {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

  private final RespAddress address;
  private final RespConnection connection;

  private RespClient(RespAddress address) {
    this.address = address;
    this.connection = open(address);
  }

  /** Connects to {@code redis[s]://[[user]:password@]host[:port][/database]}. */
  public static RespClient connect(String url) {
    try {
      return connect(url, SSLContext.getDefault());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("no TLS in this JVM", e);
    }
  }

  /** Like {@link #connect(String)}, with what to trust when the URL says {@code rediss}. */
  public static RespClient connect(String url, SSLContext trust) {
    return new RespClient(RespAddress.parse(url, trust));
  }

  /**
   * How long {@link #call} waits for a reply, ten seconds unless set. After a time-out the
   * connection is of no use: the late reply would be taken for that of the next command.
   *
   * @return this
   */
  public RespClient timeout(Duration limit) {
    try {
      connection.setTimeout(Math.toIntExact(limit.toMillis()));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Sends a command and waits for the reply.
   *
   * @return a String, a Long, a List of such values, or null
   * @throws RespException if the server replies with an error
   * @throws UncheckedIOException if there is no reply: cut off, or timed out
   */
  public @Nullable Object call(String... command) {
    try {
      return connection.call(command);
    } catch (IOException e) {
      throw new UncheckedIOException("no reply to " + String.join(" ", command), e);
    }
  }

  /** Like {@link #call}, for a command that replies with a list. */
  public List<?> list(String... command) {
    if (call(command) instanceof List<?> list) {
      return list;
    }
    throw new IllegalStateException("the reply is not a list: " + String.join(" ", command));
  }

  /** Watches all commands the server executes from now on, over connections of its own. */
  public RedisMonitor monitor() {
    return new RedisMonitor(open(address), open(address));
  }

  /** Collects the messages published to a channel from now on, over a connection of its own. */
  public RedisSubscription subscribe(String channel) {
    return new RedisSubscription(open(address), channel);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static RespConnection open(RespAddress address) {
    try {
      return address.open(DEFAULT_TIMEOUT);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot connect to " + address.host() + ":" + address.port(), e);
    }
  }
}
