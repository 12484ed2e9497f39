package io.holdfast.bench.lock;

/** A connection of one library to its store, as an application would make one. */
public interface LockClient extends AutoCloseable {
  /** The lock with this key, of the kind the client was made for. */
  BenchLock lock(String key);

  @Override
  void close();
}
