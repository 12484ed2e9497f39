package io.holdfast.redis;

import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A Redis server for one test class alone. */
public final class OwnRedisServer implements BeforeAllCallback, AfterAllCallback {
  private @Nullable RedisServer server;

  @Override
  public void beforeAll(ExtensionContext context) {
    server = RedisServer.builder().start();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    get().close();
  }

  public RedisServer get() {
    return Objects.requireNonNull(server);
  }

  public RespClient client() {
    return get().client();
  }
}
