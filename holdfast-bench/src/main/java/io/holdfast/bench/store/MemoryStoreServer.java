package io.holdfast.bench.store;

/** No server at all. */
final class MemoryStoreServer implements StoreServer {
  @Override
  public String description() {
    return "memory of the process";
  }

  @Override
  public String url() {
    return "memory:bench";
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
