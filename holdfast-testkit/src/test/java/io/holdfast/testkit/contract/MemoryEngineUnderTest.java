package io.holdfast.testkit.contract;

import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.util.Collection;
import java.util.List;

/** A store of its own for each test. */
final class MemoryEngineUnderTest implements EngineUnderTest {
  private final MemoryStore store = new MemoryStore(TimeSource.system());

  @Override
  public LockManagerBuilder newManager() {
    return LockManager.builder("memory:").engine(new MemoryBackendProvider(store));
  }

  @Override
  public void removeByHand(String key) {
    store.remove(key);
  }

  @Override
  public void forgetEverything() {
    store.clear();
  }

  @Override
  public Collection<String> leftoversOf(String key) {
    return store.size() == 0 ? List.of() : List.of(store.size() + " entries");
  }
}
