package io.holdfast.bench.store;

import java.util.List;

/** H2 as a server of its own, with its data in memory. */
final class H2StoreServer implements StoreServer {
  private final JvmServer server;
  private final String version;

  H2StoreServer(StoreEnvironment environment) {
    String h2 = "com.h2database:h2";
    this.server = new JvmServer(environment, H2Main.class, List.of(h2));
    this.version = environment.classPath().version(h2);
  }

  @Override
  public String description() {
    return "H2 " + version + ", a server with its data in memory";
  }

  @Override
  public String url() {
    return urlAt(port());
  }

  @Override
  public int port() {
    return server.port();
  }

  @Override
  public String urlAt(int port) {
    return "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:bench;DB_CLOSE_DELAY=-1";
  }

  @Override
  public long cpuNanos() {
    return server.cpuNanos();
  }

  @Override
  public void close() {
    server.close();
  }
}
