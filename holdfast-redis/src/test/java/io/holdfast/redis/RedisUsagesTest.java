package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The usages that the design promises, word for word. */
@Isolated
class RedisUsagesTest {
  private static final RedisServer SERVER = RedisServer.shared();

  @BeforeAll
  static void pointTheDefaultAtTheTestServer() {
    System.setProperty("holdfast.url", patient(SERVER.url()));
  }

  @AfterAll
  static void pointItBack() {
    System.clearProperty("holdfast.url");
  }

  @Test
  void aLockIsMadeFromAKey() {
    RedisDistributedLock lock = new RedisDistributedLock("myLock");
    lock.lock();
    try {
      assertThat(exists("myLock")).isTrue();
    } finally {
      lock.unlock();
    }
    assertThat(exists("myLock")).isFalse();
  }

  @Test
  void aTryLockHasATime() throws InterruptedException {
    RedisDistributedLock lock = new RedisDistributedLock("myLock");
    if (lock.tryLock(5, TimeUnit.SECONDS)) {
      try {
        assertThat(exists("myLock")).isTrue();
      } finally {
        lock.unlock();
      }
    }
    assertThat(exists("myLock")).isFalse();
  }

  @Test
  void aLockIsMadeFromSettings() {
    LockConfig config =
        LockConfig.builder()
            .lockKey("myLock")
            .leaseTime(30)
            .renewalTime(10)
            .watchdogPeriod(5)
            .fair(true)
            .build();
    Lock lock = new RedisDistributedLock(config);
    lock.lock();
    try {
      assertThat(exists("myLock")).isTrue();
    } finally {
      lock.unlock();
    }
    assertThat(config.leaseTime()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.renewalTime()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.watchdogPeriod()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.fair()).isTrue();
  }

  @Test
  void twoObjectsWithOneKeyAreOneLock() {
    RedisDistributedLock one = new RedisDistributedLock("shared");
    RedisDistributedLock two = new RedisDistributedLock("shared");
    one.lock();
    two.lock();
    assertThat(one.getHoldCount()).isEqualTo(2);
    one.unlock();
    two.unlock();
    assertThat(exists("shared")).isFalse();
  }

  @Test
  void aDependencyAndAUrlAreEnough() throws Exception {
    try (LockManager manager = LockManager.create(patient(SERVER.url()))) {
      DistributedLock lock = manager.getLock("stock:42");
      String result = manager.execute("stock:42", -1, 5, () -> "sold");
      assertThat(result).isEqualTo("sold");
      assertThat(lock.isLocked()).isFalse();
    }
  }

  private static boolean exists(String key) {
    try (RespClient client = SERVER.client()) {
      return Long.valueOf(1).equals(client.call("EXISTS", key));
    }
  }
}
