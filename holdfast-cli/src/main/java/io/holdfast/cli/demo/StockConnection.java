package io.holdfast.cli.demo;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * A plain Lettuce connection to the server where the stock is kept, such as an application would
 * have for its data. It has nothing to do with the lock. When the server is gone it fails within
 * seconds.
 */
final class StockConnection implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final RedisClient client;
  private final RedisCommands<String, String> commands;

  StockConnection(String url) {
    RedisURI uri = RedisURI.create(url);
    uri.setTimeout(TIMEOUT);
    client = RedisClient.create(uri);
    client.setOptions(
        ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
    commands = client.connect().sync();
  }

  RedisCommands<String, String> commands() {
    return commands;
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
  }
}
