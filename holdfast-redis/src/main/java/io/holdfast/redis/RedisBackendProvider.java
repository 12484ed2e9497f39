package io.holdfast.redis;

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
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code redis://[user:password@]host[:port][/database][?timeout=2s&clientName=...&io=netty]}
 * and the same with {@code rediss://} for TLS. An application that has Lettuce already can lend its
 * parts:
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
  private static final String IO_OPTION = "io=";
  private static final Pattern TIMEOUT_OPTION = Pattern.compile("[?&]timeout=([^&]*)");

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

  /** Connects to this server with these options, for instance for a trust store of one's own. */
  public static RedisBackendProvider of(RedisURI uri, ClientOptions options) {
    return new RedisBackendProvider(uri, null, options, null);
  }

  /**
   * Uses the event loops and options of a client the application has. The two connections of the
   * lock manager are its own, and the client is not closed with it.
   */
  public static RedisBackendProvider using(RedisClient client, RedisURI uri) {
    return new RedisBackendProvider(uri, client.getResources(), client.getOptions(), null);
  }

  /**
   * The same provider with input and output done in this way, whatever the URL says. Opening a
   * manager with {@link Io#CALLER} fails if the class path does not have what that needs.
   *
   * <pre>{@code
   * LockManager manager = LockManager.builder("redis://localhost")
   *     .engine(new RedisBackendProvider().io(Io.NETTY))
   *     .build();
   * }</pre>
   *
   * @throws IllegalStateException if a client is lent: its event loops are used
   */
  public RedisBackendProvider io(Io driver) {
    if (resources != null) {
      throw new IllegalStateException(
          "a lent client does the input and output on its own event loops");
    }
    return new RedisBackendProvider(givenUri, null, options, driver);
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
    if (givenUri != null) {
      return new RedisBackend(givenUri, resources, choice(io), options, context);
    }
    RedisURI uri = parse(url);
    return new RedisBackend(uri, null, choice(io != null ? io : ioOf(url)), options, context);
  }

  private static IoChoice choice(@Nullable Io io) {
    if (io == null) {
      return IoChoice.AUTOMATIC;
    }
    return io == Io.CALLER ? IoChoice.CALLER : IoChoice.NETTY;
  }

  /** The option {@code io} of a URL; null if it has none. */
  static @Nullable Io ioOf(String url) {
    List<String> values =
        optionsOf(url)
            .filter(option -> option.startsWith(IO_OPTION))
            .map(option -> option.substring(IO_OPTION.length()))
            .toList();
    if (values.isEmpty()) {
      return null;
    }
    if (values.size() == 1 && values.get(0).equals("caller")) {
      return Io.CALLER;
    }
    if (values.size() == 1 && values.get(0).equals("netty")) {
      return Io.NETTY;
    }
    throw malformed("the option io is caller or netty, as in io=netty");
  }

  private static Stream<String> optionsOf(String url) {
    int start = url.indexOf('?');
    return start < 0 ? Stream.empty() : Arrays.stream(url.substring(start + 1).split("&", -1));
  }

  /** For Lettuce, which does not know that option. */
  private static String withoutIo(String url) {
    int start = url.indexOf('?');
    if (start < 0) {
      return url;
    }
    String rest =
        optionsOf(url)
            .filter(option -> !option.startsWith(IO_OPTION))
            .collect(Collectors.joining("&"));
    return rest.isEmpty() ? url.substring(0, start) : url.substring(0, start + 1) + rest;
  }

  static RedisURI parse(String text) {
    if (!FORM.matcher(text).matches()) {
      throw malformed("it does not have the right form");
    }
    ioOf(text);
    String url = withoutIo(text);
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
