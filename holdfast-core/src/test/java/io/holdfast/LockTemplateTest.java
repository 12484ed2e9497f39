package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link LockManager#execute}. */
@Timeout(600)
class LockTemplateTest {
  private static final int RENEW = -1;

  private final ManualTime time = new ManualTime();
  private final MemoryStore store = new MemoryStore(time);
  private final LockManager manager = manager("shop");

  private LockManager manager(String application) {
    return LockManager.builder("memory:")
        .engine(new MemoryBackendProvider(store))
        .time(time, time)
        .application(application)
        .build();
  }

  @AfterEach
  void close() {
    manager.close();
  }

  @Test
  void runsTheCodeUnderTheLockAndReturnsItsResult() throws Exception {
    int result =
        manager.execute(
            "k",
            RENEW,
            1,
            () -> {
              assertThat(manager.getLock("k").isHeldByCurrentThread()).isTrue();
              return 42;
            });

    assertThat(result).isEqualTo(42);
    assertThat(store.size()).isZero();
  }

  @Test
  void takesDurationsToo() throws Exception {
    String result =
        manager.execute("k", Duration.ofSeconds(5), Duration.ofSeconds(1), () -> "done");

    assertThat(result).isEqualTo("done");
  }

  @Test
  void passesACheckedExceptionThroughUnchangedAndUnlocks() {
    IOException failure = new IOException("from the code");

    assertThatThrownBy(
            () ->
                manager.execute(
                    "k",
                    RENEW,
                    1,
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure)
        .hasNoSuppressedExceptions();
    assertThat(store.size()).isZero();
  }

  @Test
  void passesAnErrorThroughUnchangedAndUnlocks() {
    AssertionError failure = new AssertionError("from the code");

    assertThatThrownBy(
            () ->
                manager.execute(
                    "k",
                    RENEW,
                    1,
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(store.size()).isZero();
  }

  @Test
  void isReentrant() throws Exception {
    int holds =
        manager.execute(
            "k",
            RENEW,
            1,
            () -> manager.execute("k", RENEW, 1, () -> manager.getLock("k").getHoldCount()));

    assertThat(holds).isEqualTo(2);
    assertThat(store.size()).isZero();
  }

  @Test
  void saysWhoHoldsTheLockWhenItGivesUp() {
    try (LockManager other = manager("accounting")) {
      Lease held = other.getLock("k").acquire();

      assertThatThrownBy(() -> manager.execute("k", RENEW, 0, () -> "not reached"))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("'k'")
          .hasMessageContaining("accounting")
          .hasMessageContaining("process " + ProcessHandle.current().pid())
          .hasMessageContaining("thread '" + Thread.currentThread().getName() + "'")
          .hasMessageContaining("token " + held.token())
          .hasMessageContaining("gave up after 0 ms");
    }
  }

  @Test
  void renewsWhileTheCodeRuns() throws Exception {
    boolean held =
        manager.execute(
            "k",
            RENEW,
            1,
            () -> {
              time.advance(Duration.ofHours(1));
              return manager.getLock("k").isHeldByCurrentThread();
            });

    assertThat(held).isTrue();
  }

  @Test
  void throwsWhenTheCodeHasEndedButTheLockWasLostMeanwhile() {
    assertThatThrownBy(() -> manager.execute("k", 1, 1, this::runForTooLong))
        .isInstanceOf(LockLostException.class)
        .hasMessageContaining("'k'")
        .hasMessageContaining("its lease ran out");
  }

  @Test
  void keepsTheExceptionOfTheCodeAndAddsTheLoss() {
    assertThatThrownBy(
            () ->
                manager.execute(
                    "k",
                    1,
                    1,
                    () -> {
                      runForTooLong();
                      throw new IOException("from the code");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("from the code")
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed())
                    .singleElement()
                    .isInstanceOf(LockLostException.class));
  }

  @Test
  void refusesALeaseThatIsNone() {
    assertThatThrownBy(() -> manager.execute("k", 0, 1, () -> "not reached"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a lease is from");
    assertThatThrownBy(() -> manager.execute("k", -2, 1, () -> "not reached"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a lease is from");
  }

  private String runForTooLong() {
    time.advance(Duration.ofSeconds(2));
    return "done";
  }
}
