package io.holdfast.bench.store;

import java.util.EnumMap;
import java.util.Map;

/** The servers of a run, each started when it is first wanted. */
public final class Stores implements AutoCloseable {
  private final StoreEnvironment environment;
  private final Map<Store, StoreServer> running = new EnumMap<>(Store.class);

  /** None is started yet. */
  public Stores(StoreEnvironment environment) {
    this.environment = environment;
  }

  /** The server of the store. */
  public StoreServer get(Store store) {
    StoreServer server = running.get(store);
    if (server == null) {
      server = store.start(environment);
      running.put(store, server);
    }
    return server;
  }

  /** Those that were wanted so far. */
  public Map<Store, StoreServer> running() {
    return Map.copyOf(running);
  }

  @Override
  public void close() {
    running.values().forEach(StoreServer::close);
    running.clear();
  }
}
