package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.redis.backend.IoChoice;
import io.holdfast.redis.backend.LettuceClient;
import io.holdfast.redis.backend.RedisBackend;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code redis://[user:password@]host[:port][/database][?timeout=2s&clientName=...&io=netty]}
 * and the same with {@code rediss://} for TLS. An unknown option is an error that lists the known
 * ones. An application that has Lettuce already can lend its parts:
 *
 * <pre>{@code
 * LockManager manager = LockManager.builder("redis://localhost")
 *     .engine(RedisBackendProvider.using(redisClient, redisUri))
 *     .build();
 * }</pre>
 */
public final class RedisBackendProvider implements LockBackendProvider {
  private final @Nullable RedisURI givenUri;
  private final @Nullable ClientResources resources;
  private final ClientOptions options;
  private final @Nullable Io io;

  /** Takes everything from the URL. */
  public RedisBackendProvider() {
    this(null, null, LettuceClient.plainOptions(), null);
  }

  private RedisBackendProvider(
      @Nullable RedisURI uri,
      @Nullable ClientResources resources,
      ClientOptions options,
      @Nullable Io io) {
    this.givenUri = uri;
    this.resources = resources;
    this.options = options;
    this.io = io;
  }

  /** Connects to this server, whatever the URL of the manager. Its timeout bounds each command. */
  public static RedisBackendProvider of(RedisURI uri) {
    return of(uri, LettuceClient.plainOptions());
  }

  /** Connects to this server with these options, for instance with another trust store. */
  public static RedisBackendProvider of(RedisURI uri, ClientOptions options) {
    requireNonNull(uri, "uri must not be null");
    requireNonNull(options, "options must not be null");
    return new RedisBackendProvider(uri, null, options, null);
  }

  /**
   * Uses the event loops and options of a client of the application. The lock manager opens two
   * connections of its own, and does not close the client.
   */
  public static RedisBackendProvider using(RedisClient client, RedisURI uri) {
    requireNonNull(client, "client must not be null");
    requireNonNull(uri, "uri must not be null");
    return new RedisBackendProvider(uri, client.getResources(), client.getOptions(), null);
  }

  /**
   * The same provider with this I/O driver, whatever the URL says. Opening a manager with {@link
   * Io#CALLER} fails if the class path lacks something that the driver needs.
   *
   * <pre>{@code
   * LockManager manager = LockManager.builder("redis://localhost")
   *     .engine(new RedisBackendProvider().io(Io.NETTY))
   *     .build();
   * }</pre>
   *
   * @throws IllegalStateException if a client is lent, because its event loops are used
   */
  public RedisBackendProvider io(Io driver) {
    requireNonNull(driver, "driver must not be null");
    if (resources != null) {
      throw new IllegalStateException(
          "the driver cannot be chosen: a lent client uses its own event loops");
    }
    return new RedisBackendProvider(givenUri, null, options, driver);
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith("redis://") || url.startsWith("rediss://");
  }

  @Override
  public String urlForms() {
    return RedisUrl.FORMS;
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    if (givenUri != null) {
      return new RedisBackend(givenUri, resources, choice(io), options, context);
    }
    RedisURI uri = RedisUrl.parse(url);
    return new RedisBackend(
        uri, null, choice(io != null ? io : RedisUrl.ioOf(url)), options, context);
  }

  private static IoChoice choice(@Nullable Io io) {
    if (io == null) {
      return IoChoice.AUTOMATIC;
    }
    return io == Io.CALLER ? IoChoice.CALLER : IoChoice.NETTY;
  }
}
