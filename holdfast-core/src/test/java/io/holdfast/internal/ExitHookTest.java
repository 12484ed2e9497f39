package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockManager;
import io.holdfast.WatchedStore;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What is kept for the exit of the JVM. That it is closed is tested with real processes. */
@Isolated
@Timeout(600)
class ExitHookTest {
  private final int before = ExitHook.size();

  @Test
  void managersThatAreClosedAreForgotten() {
    List<LockManager> managers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      managers.add(LockManager.create("memory:"));
    }
    assertThat(ExitHook.size()).isEqualTo(before + 50);
    managers.forEach(LockManager::close);
    assertThat(ExitHook.size()).isEqualTo(before);
  }

  @Test
  void aManagerThatSomebodyElseClosesIsNotKept() {
    try (LockManager manager = LockManager.builder("memory:").shutdownHook(false).build()) {
      assertThat(manager.health()).isNotNull();
      assertThat(ExitHook.size()).isEqualTo(before);
    }
  }

  @Test
  void aManagerWhoseCloseFailsOnAnInterruptedThreadIsForgotten() {
    WatchedStore store = new WatchedStore(new MemoryStore(TimeSource.system()));
    LockManager manager = LockManager.builder("memory:").engine(store).build();
    store.answer(
        "close",
        call -> {
          throw new IllegalStateException("a store that cannot be closed");
        });
    Thread.currentThread().interrupt();
    manager.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(ExitHook.size()).isEqualTo(before);
  }

  @Test
  void whatCannotBeOpenedIsNotKept() {
    try {
      LockManager.create("nothing:");
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("no lock engine");
    }
    assertThat(ExitHook.size()).isEqualTo(before);
  }
}
