package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * What all contracts have in common: managers on one store, which stand for processes, and a check
 * after each test that the store is empty again of everything the test's key left there.
 */
@Tag("contract")
@Timeout(600)
public abstract class EngineContract implements ContractFixture {
  private final List<OtherThread> threads = Collections.synchronizedList(new ArrayList<>());
  private final String key = "contract:" + UUID.randomUUID();
  private @Nullable EngineUnderTest store;
  private @Nullable LockManager manager;
  private @Nullable LockManager otherManager;
  private @Nullable LockManager anotherManager;

  EngineContract() {}

  /** The engine; called once per test. */
  protected abstract EngineUnderTest engine();

  @BeforeEach
  final void connect() {
    EngineUnderTest engine = engine();
    store = engine;
    manager = engine.newManager().application("first").build();
    otherManager = engine.newManager().application("second").build();
  }

  @AfterEach
  final void nothingIsLeft() {
    threads.forEach(OtherThread::close);
    close(manager);
    close(otherManager);
    close(anotherManager);
    try (EngineUnderTest engine = store()) {
      eventually()
          .untilAsserted(
              () -> assertThat(engine.leftoversOf(key)).as("left in the store").isEmpty());
    }
  }

  private static void close(@Nullable LockManager manager) {
    if (manager != null) {
      manager.close();
    }
  }

  @Override
  public final EngineUnderTest store() {
    return present(store);
  }

  @Override
  public final LockManager manager() {
    return present(manager);
  }

  @Override
  public final LockManager otherManager() {
    return present(otherManager);
  }

  @Override
  public final LockManager anotherManager() {
    if (anotherManager == null) {
      anotherManager = store().newManager().application("third").build();
    }
    return anotherManager;
  }

  @Override
  public final String key() {
    return key;
  }

  @Override
  public final OtherThread otherThread() {
    OtherThread thread = new OtherThread("other-" + (threads.size() + 1));
    threads.add(thread);
    return thread;
  }

  private static <T> T present(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("only inside a test");
    }
    return value;
  }
}
