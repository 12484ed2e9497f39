package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import org.jspecify.annotations.Nullable;

/**
 * Adds {@code io=...} to the Redis URLs of the tests when the system property {@code
 * holdfast.test.io} says so. It comes before the real provider on the class path of the tests, so
 * that the same tests run with either driver.
 */
public final class RedisWithIo implements LockBackendProvider {
  private final LockBackendProvider real = new RedisBackendProvider();

  /** The driver of all managers of this JVM; null for the default. */
  static @Nullable String chosen() {
    return System.getProperty("holdfast.test.io");
  }

  @Override
  public boolean accepts(String url) {
    return chosen() != null && real.accepts(url) && !url.contains("io=");
  }

  @Override
  public String urlForms() {
    return real.urlForms();
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    return real.open(url + (url.contains("?") ? "&" : "?") + "io=" + chosen(), context);
  }
}
