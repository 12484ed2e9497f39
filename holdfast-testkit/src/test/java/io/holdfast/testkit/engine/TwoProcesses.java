package io.holdfast.testkit.engine;

import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.testkit.FakeClock;

/**
 * Two lock managers on one store in memory, with time that the test moves. The first has the test
 * between it and the store. Callbacks run at once, on the thread that causes them, so that what is
 * true after a step can be asked without waiting for it.
 */
final class TwoProcesses implements AutoCloseable {
  final FakeClock clock = new FakeClock();
  final MemoryStore memory = new MemoryStore(clock);
  final InterceptedStore store = new InterceptedStore(memory);
  final LockManager here =
      manager().engine(store).application("here").callbackExecutor(Runnable::run).build();
  final LockManager there = manager().application("there").callbackExecutor(Runnable::run).build();

  /** For one more. */
  LockManagerBuilder manager() {
    return clock.drive(LockManager.builder("memory:")).engine(new MemoryBackendProvider(memory));
  }

  @Override
  public void close() {
    store.passAll();
    here.close();
    there.close();
  }
}
