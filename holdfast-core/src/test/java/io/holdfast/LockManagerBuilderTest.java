package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockManagerBuilderTest {
  @Test
  void findsTheEngineByTheScheme() {
    try (LockManager one = LockManager.create("memory:same");
        LockManager two = LockManager.create("memory:same");
        LockManager another = LockManager.create("memory:another")) {
      assertThat(one.getLock("k").tryLock()).isTrue();
      assertThat(two.getLock("k").tryLock()).as("the same store").isFalse();
      assertThat(another.getLock("k").tryLock()).as("another store").isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mongodb://localhost/db", "mongodb:", "mongodb:x:y"})
  void saysWhichEnginesThereAreWhenNoneKnowsTheScheme(String url) {
    assertThatThrownBy(() -> LockManager.create(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("starts with 'mongodb:'")
        .hasMessageContaining("memory: and memory:name")
        .hasMessageContaining("add holdfast-redis");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "localhost"})
  void saysSoForAUrlWithoutAScheme(String url) {
    assertThatThrownBy(() -> LockManager.create(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("starts with '" + url + "'");
  }

  @Test
  void doesNotRepeatAPasswordInItsMessage() {
    assertThatThrownBy(() -> LockManager.create("mongodb://user:secret@localhost"))
        .hasMessageNotContaining("secret");
  }

  @Test
  void reportsAStoreThatCannotBeUsed() {
    BackendException cause = new BackendException("no permission; grant it", null);

    assertThatThrownBy(() -> LockManager.builder("memory:").engine(failing(cause)).build())
        .isInstanceOf(StoreException.class)
        .hasMessage("no permission; grant it")
        .hasCause(cause);
  }

  @Test
  void passesOnWhatAnEngineSaysAboutItsUrl() {
    IllegalArgumentException cause = new IllegalArgumentException("port 99999 is none");

    assertThatThrownBy(() -> LockManager.builder("memory:").engine(failing(cause)).build())
        .isSameAs(cause);
  }

  @Test
  void anErrorWhileConnectingEndsTheTimerThread() throws InterruptedException {
    NoClassDefFoundError error = new NoClassDefFoundError("io/example/Missing");
    CompletableFuture<Thread> timer = new CompletableFuture<>();
    LockBackendProvider engine =
        new LockBackendProvider() {
          @Override
          public boolean accepts(String url) {
            return true;
          }

          @Override
          public String urlForms() {
            return "memory:";
          }

          @Override
          public LockBackend open(String url, BackendContext context) {
            context.scheduler().schedule(0, () -> timer.complete(Thread.currentThread()));
            timer.join();
            throw error;
          }
        };

    assertThatThrownBy(() -> LockManager.builder("memory:").engine(engine).build()).isSameAs(error);

    timer.join().join(TimeUnit.SECONDS.toMillis(30));
    assertThat(timer.join().isAlive()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " "})
  void refusesAnApplicationWithoutName(String name) {
    assertThatThrownBy(() -> LockManager.builder("memory:").application(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an application name has 1 to 200 characters");
  }

  @Test
  void usesItsDefaultsForLocksByKey() {
    LockConfig defaults = LockConfig.builder().leaseTime(7).fair(true).build();
    try (LockManager manager =
        LockManager.builder("memory:").defaults(defaults).application("shop").build()) {
      DistributedLock lock = manager.getLock("k");

      assertThat(lock.config()).isEqualTo(defaults.withKey("k"));
      assertThat(manager.getFairLock("k").config().fair()).isTrue();
      try (Lease lease = lock.acquire()) {
        assertThat(lease.key()).isEqualTo("k");
        assertThat(lock.info().holder().orElseThrow().application()).isEqualTo("shop");
      }
    }
  }

  @Test
  void aManagerSaysWhereItsLocksAreAndHidesThePassword() {
    LockManager manager =
        LockManager.builder("memory://me:secret@host/x?password=secret")
            .engine(new MemoryBackendProvider(new MemoryStore(TimeSource.system())))
            .application("shop")
            .build();
    Lease lease = manager.getLock("k").acquire();
    String client = lease.isValid() ? manager.getLock("k").info().holders().get(0).owner() : "";

    assertThat(manager)
        .hasToString(
            "LockManager[memory at memory://me:***@host/x?password=***, application 'shop',"
                + " client %s, open, holds 1]".formatted(client.substring(0, client.indexOf(':'))));
    manager.close();
    assertThat(manager.toString()).contains("application 'shop'").endsWith(", closed]");
  }

  private static LockBackendProvider failing(RuntimeException cause) {
    return new LockBackendProvider() {
      @Override
      public boolean accepts(String url) {
        return true;
      }

      @Override
      public String urlForms() {
        return "any";
      }

      @Override
      public LockBackend open(String url, BackendContext context) {
        throw cause;
      }
    };
  }
}
