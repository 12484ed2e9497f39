package io.holdfast.redis.backend;

import static io.holdfast.redis.backend.ScriptCalls.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.testservers.RedisServer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A renewal that keeps a smaller amount, as when a writer becomes a reader. */
@Isolated
class PoolLesseningTest {
  private static final int ALL = 1_000_000;
  private static final long LEASE = 20_000;

  private PoolCalls pool;

  @BeforeEach
  void connect() {
    pool = new PoolCalls(RedisServer.shared(), "read-write", ALL, WINDOW);
  }

  @AfterEach
  void clean() {
    pool.close();
  }

  @Test
  void theRestBecomesFreeAndTheKeptPartHasTheSameTokenAndANewLease() {
    long tick = pool.acquire("w:1", ALL, 5000).value();
    String before = pool.scripts.data(pool.scripts.owner("w:1"));
    assertThat(pool.renew("w:1", 1)).isEqualTo(1);
    assertThat(pool.used()).isEqualTo(1);
    String after = pool.scripts.data(pool.scripts.owner("w:1"));
    assertThat(after).isEqualTo(before.replaceFirst("^" + ALL, "1")).contains(Long.toString(tick));
    assertThat(pool.millisLeft()).isBetween(5001L, 30_000L);
    assertThat(pool.acquire("r:1", 1, LEASE).granted()).isTrue();
    assertThat(pool.used()).isEqualTo(2);
  }

  @Test
  void waitersAreServedAtOnceInOrder() {
    pool.acquire("w:1", ALL, LEASE);
    pool.await("r:1", 1, LEASE);
    pool.await("r:2", 1, LEASE);
    assertThat(pool.renew("w:1", 1)).as("and nobody waits any more").isEqualTo(1);
    assertThat(pool.holds("r:1")).isTrue();
    assertThat(pool.holds("r:2")).isTrue();
    assertThat(pool.used()).isEqualTo(3);
    assertThat(pool.scripts.told("r:1")).anyMatch(told -> told.startsWith("granted"));
  }

  @Test
  void aWaitingWriterIsNotServedAndIsReported() {
    pool.acquire("w:1", ALL, LEASE);
    pool.await("w:2", ALL, LEASE);
    pool.await("r:1", 1, LEASE);
    assertThat(pool.renew("w:1", 1)).isEqualTo(2);
    assertThat(pool.holds("w:2")).isFalse();
    assertThat(pool.holds("r:1")).as("came after the writer").isFalse();
  }

  @Test
  void aRepeatedOrLateRenewalChangesNothing() {
    pool.acquire("w:1", ALL, LEASE);
    assertThat(pool.renew("w:1", 1)).isEqualTo(1);
    pool.acquire("r:1", 1, LEASE);
    Map<String, String> data = pool.scripts.data();
    assertThat(pool.renew("w:1", 1)).isEqualTo(1);
    assertThat(pool.renew("w:1", ALL)).as("never more than is held").isEqualTo(1);
    assertThat(pool.scripts.data()).isEqualTo(data);
  }

  @Test
  void anOwnerWithoutAHoldGetsNone() {
    assertThat(pool.renew("w:1", 1)).isZero();
    assertThat(pool.scripts.exists(pool.key)).isFalse();
    pool.acquire("r:1", 1, LEASE);
    Map<String, String> data = pool.scripts.data();
    assertThat(pool.renew("w:1", 1)).isZero();
    assertThat(pool.scripts.data()).isEqualTo(data);
  }

  @Test
  void anEndedLeaseIsNotRenewedEvenIfNoScriptHasNoticed() {
    pool.acquire("w:1", ALL, 1);
    pool.scripts.redis.call("PEXPIRE", pool.key, "60000");
    pool.scripts.redis.call("PEXPIRE", RedisKeys.leases(pool.key), "60000");
    await().atMost(Duration.ofSeconds(60)).until(() -> pool.renew("w:1", 1) == 0);
    assertThat(pool.acquire("w:2", ALL, LEASE).granted()).isTrue();
  }

  @Test
  void aPoolDoesNotOutliveTheKeptPart() {
    pool.acquire("w:1", ALL, 600_000);
    assertThat(pool.renewal("w:1", 1).lease(100_000).send(pool.scripts.redis)).isEqualTo(1);
    assertThat(pool.millisLeft()).isBetween(1L, 100_000L);
  }

  @Test
  void aWaiterWithoutAnInboxDoesNotDisturbTheRenewal() {
    pool.acquire("w:1", ALL, LEASE);
    pool.scripts.redis.call("SET", RedisKeys.queue(pool.key), "of another type", "PX", "60000");
    assertThat(pool.renew("w:1", 1)).isEqualTo(2);
    assertThat(pool.used()).isEqualTo(1);
    assertThat(pool.millisLeft()).isPositive();
  }
}
