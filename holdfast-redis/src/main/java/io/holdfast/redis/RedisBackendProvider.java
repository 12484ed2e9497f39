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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  private static final String URL_FORMS =
      "redis://[user:password@]host[:port][/database] and rediss://...";
  private static final Pattern FORM =
      Pattern.compile(
          "rediss?://([^@/?]*@)?([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(:\\d{1,5})?(/\\d*)?(\\?\\S*)?");
  private static final Pattern TIMEOUT_OPTION = Pattern.compile("[?&]timeout=([^&]*)");

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
    return URL_FORMS;
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    return new RedisBackend(givenUri != null ? givenUri : parse(url), resources, options, context);
  }

  static RedisURI parse(String url) {
    if (!FORM.matcher(url).matches()) {
      throw malformed("it does not have the right form");
    }
    RedisURI uri;
    try {
      uri = RedisURI.create(url);
    } catch (IllegalArgumentException e) {
      throw malformed("host, port, database or an option is not valid");
    }
    if (uri.getPort() < 1 || uri.getPort() > 65535 || url.matches(".*:0([/?].*)?")) {
      throw malformed("the port is from 1 to 65535");
    }
    Matcher timeout = TIMEOUT_OPTION.matcher(url);
    if (!timeout.find()) {
      uri.setTimeout(TIMEOUT);
    } else if (!timeout.group(1).matches("\\d+(ns|us|ms|s|m|h|d)?") || uri.getTimeout().isZero()) {
      throw malformed("the timeout is a number with a unit, as in timeout=500ms");
    }
    if (uri.getClientName() == null) {
      uri.setClientName("holdfast");
    }
    return uri;
  }

  /** Says what is wrong without repeating the URL, which may contain a password. */
  private static IllegalArgumentException malformed(String why) {
    return new IllegalArgumentException(
        "the Redis URL cannot be used: %s; URLs look like %s".formatted(why, URL_FORMS));
  }
}
