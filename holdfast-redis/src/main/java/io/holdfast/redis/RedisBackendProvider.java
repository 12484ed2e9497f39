package io.holdfast.redis;

import io.holdfast.redis.backend.LettuceClient;
import io.holdfast.redis.backend.RedisBackend;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code redis://[user:password@]host[:port][/database][?timeout=2s&clientName=...]} and the
 * same with {@code rediss://} for TLS. An application that has Lettuce already can lend its parts:
 *
 * <pre>{@code
 * LockManager manager = LockManager.builder("redis://localhost")
 *     .engine(RedisBackendProvider.using(redisClient, redisUri))
 *     .build();
 * }</pre>
 */
public final class RedisBackendProvider implements LockBackendProvider {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final @Nullable RedisURI givenUri;
  private final @Nullable ClientResources resources;
  private final ClientOptions options;

  /** Takes everything from the URL. */
  public RedisBackendProvider() {
    this(null, null, LettuceClient.plainOptions());
  }

  private RedisBackendProvider(
      @Nullable RedisURI uri, @Nullable ClientResources resources, ClientOptions options) {
    this.givenUri = uri;
    this.resources = resources;
    this.options = options;
  }

  /** Connects to this server, whatever the URL of the manager. Its timeout bounds each command. */
  public static RedisBackendProvider of(RedisURI uri) {
    return of(uri, LettuceClient.plainOptions());
  }

  /** Connects to this server with these options, for instance for a trust store of one's own. */
  public static RedisBackendProvider of(RedisURI uri, ClientOptions options) {
    return new RedisBackendProvider(uri, null, options);
  }

  /**
   * Uses the event loops and options of a client the application has. The two connections of the
   * lock manager are its own, and the client is not closed with it.
   */
  public static RedisBackendProvider using(RedisClient client, RedisURI uri) {
    return new RedisBackendProvider(uri, client.getResources(), client.getOptions());
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith("redis://") || url.startsWith("rediss://");
  }

  @Override
  public String urlForms() {
    return "redis://[user:password@]host[:port][/database] and rediss://...";
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    return new RedisBackend(givenUri != null ? givenUri : parse(url), resources, options, context);
  }

  private static RedisURI parse(String url) {
    RedisURI uri = RedisURI.create(url);
    if (uri.getHost() == null || uri.getHost().isBlank() || uri.getHost().matches("[^:]*:[^:]*")) {
      throw new IllegalArgumentException(
          "the URL names no host: it should look like " + new RedisBackendProvider().urlForms());
    }
    if (!url.contains("timeout=")) {
      uri.setTimeout(TIMEOUT);
    }
    if (uri.getClientName() == null) {
      uri.setClientName("holdfast");
    }
    return uri;
  }
}
