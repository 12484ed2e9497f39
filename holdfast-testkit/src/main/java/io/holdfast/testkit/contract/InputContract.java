package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Bad input is refused at once and changes nothing; strange input stays in its place. */
interface InputContract extends ContractFixture {

  @Test
  default void aKeyThatIsBlankOrHugeOrBrokenIsRefused() {
    for (String bad : List.of("", "  ", "\t", "x".repeat(2000), "half \ud83d pair")) {
      assertThatThrownBy(() -> manager().getLock(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("key");
    }
  }

  @Test
  default void aLeaseThatIsZeroOrNegativeOrTooShortOrTooLongIsRefused() {
    DistributedLock lock = lock();
    assertThatThrownBy(() -> lock.lock(0, TimeUnit.SECONDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lease");
    assertThatThrownBy(() -> lock.lock(-5, TimeUnit.SECONDS))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> lock.lock(1, TimeUnit.MILLISECONDS))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> lock.tryLock(0, 1, TimeUnit.MILLISECONDS))
        .isInstanceOf(IllegalArgumentException.class);
    for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofMillis(1))) {
      assertThatThrownBy(() -> lock.leaseFor(bad)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> lock.noWait().leaseFor(bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> lock.leaseFor(Duration.ofDays(4000)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  default void aNegativeWaitIsNoWait() throws Exception {
    assertThat(lock().tryLock(-1, TimeUnit.SECONDS)).isTrue();
    assertThat(sameLockElsewhere().tryLock(-1, TimeUnit.SECONDS)).isFalse();
    lock().unlock();
  }

  @Test
  default void aRenewalThatComesTooLateForTheLeaseIsRefused() {
    assertThatThrownBy(
            () -> LockConfig.builder().lockKey(key()).leaseTime(10).renewalTime(10).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("renewalTime");
  }

  @Test
  default void keysWithStrangeCharactersAreKeysLikeOthers() {
    List<String> strange =
        List.of(
            key() + " with space",
            key() + "\nnew line\r\n",
            key() + "'\"; DROP TABLE locks; --",
            key() + "/../..//x",
            key() + "*?[a-z]{tag}",
            key() + "\u001f\u0000\u0007",
            key() + "\ud83d\ude00 \u4e2d\u6587",
            key() + "}{",
            key() + "return redis.call('FLUSHALL')");
    for (String each : strange) {
      DistributedLock lock = manager().getLock(each);
      DistributedLock elsewhere = otherManager().getLock(each);
      lock.lock();
      assertThat(elsewhere.tryLock()).as(each).isFalse();
      assertThat(elsewhere.info().holder().orElseThrow().application()).isEqualTo("first");
      assertThat(lock().isLocked()).as("another key is another lock").isFalse();
      lock.unlock();
      assertThat(elsewhere.tryLock()).as(each).isTrue();
      elsewhere.unlock();
    }
  }

  @Test
  default void aThreadWithAStrangeNameCanHoldAndWait() {
    Thread current = Thread.currentThread();
    String name = current.getName();
    current.setName("evil\u001f1\u001f2\nname:" + "x".repeat(500));
    try {
      lock().lock();
      assertThat(sameLockElsewhere().info().holder().orElseThrow().application())
          .isEqualTo("first");
      assertThat(sameLockElsewhere().info().holder().orElseThrow().pid())
          .isEqualTo(ProcessHandle.current().pid());
      lock().unlock();
    } finally {
      current.setName(name);
    }
  }
}
