package io.holdfast.bench.store;

import java.nio.file.Path;

/** SQLite: a file that processes share. */
final class SqliteStoreServer implements StoreServer {
  private final Path file;

  SqliteStoreServer(StoreEnvironment environment) {
    this.file = environment.directory().resolve("locks.db");
  }

  @Override
  public String description() {
    return "SQLite, a file";
  }

  @Override
  public String url() {
    return "jdbc:sqlite:" + file;
  }

  @Override
  public int port() {
    return 0;
  }

  @Override
  public String urlAt(int port) {
    return url();
  }

  @Override
  public void close() {}
}
