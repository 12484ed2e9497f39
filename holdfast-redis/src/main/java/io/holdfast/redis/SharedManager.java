package io.holdfast.redis;

import io.holdfast.LockManager;
import org.jspecify.annotations.Nullable;

/** The manager of locks that are made with {@code new}: one per process, closed at its end. */
final class SharedManager {
  private static final String DEFAULT_URL = "redis://localhost:6379";

  /** Guarded by the class. */
  private static @Nullable LockManager manager;

  private SharedManager() {}

  static synchronized LockManager get() {
    if (manager == null) {
      manager = LockManager.create(url());
    }
    return manager;
  }

  private static String url() {
    String property = System.getProperty("holdfast.url");
    if (property != null) {
      return property;
    }
    String environment = System.getenv("HOLDFAST_URL");
    return environment != null ? environment : DEFAULT_URL;
  }
}
