package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues, tokens and channels of Holdfast stand beside the locks of the application. */
class ReservedKeysTest {
  @ParameterizedTest
  @ValueSource(strings = {"holdfast:", "holdfast:fence", "holdfast:queue:k", "holdfast:anything"})
  void keysThatCouldBeOurOwnAreRefused(String key) {
    try (LockManager manager = LockManager.create("memory:reserved-keys")) {
      assertThatThrownBy(() -> manager.getLock(key)).satisfies(this::saysWhy);
      assertThatThrownBy(() -> manager.getFairLock(key)).satisfies(this::saysWhy);
      assertThatThrownBy(() -> manager.destroyLock(key)).satisfies(this::saysWhy);
      assertThatThrownBy(() -> manager.execute(key, -1, 1, () -> "")).satisfies(this::saysWhy);
      assertThatThrownBy(() -> LockConfig.builder().lockKey(key)).satisfies(this::saysWhy);
      assertThatThrownBy(() -> LockConfig.defaults().withKey(key)).satisfies(this::saysWhy);
    }
  }

  private void saysWhy(Throwable refusal) {
    assertThat(refusal)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key")
        .hasMessageContaining("holdfast:");
  }

  @Test
  void keysThatOnlyLookAlikeAreKeysLikeOthers() {
    try (LockManager manager = LockManager.create("memory:reserved-keys")) {
      for (String key : new String[] {"holdfast", "Holdfast:k", "my-holdfast:k", " holdfast:k"}) {
        assertThat(manager.getLock(key).tryLock()).as(key).isTrue();
        manager.getLock(key).unlock();
      }
    }
  }
}
