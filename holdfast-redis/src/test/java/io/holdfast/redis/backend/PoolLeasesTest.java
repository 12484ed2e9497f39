package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Lifetimes: of the hold of a dead holder, and of the data of a pool. */
@Isolated
class PoolLeasesTest {
  private static final long LONG = 600_000;
  private static final long SOME = 100_000;
  private static final long SHORT = 200;

  private PoolCalls one;
  private PoolCalls three;

  @BeforeEach
  void connect() {
    one = new PoolCalls(RedisServer.shared(), "semaphore", 1, SHORT);
    three = new PoolCalls(RedisServer.shared(), "semaphore", 3, SHORT);
  }

  @AfterEach
  void clean() {
    one.close();
    three.close();
  }

  @Test
  void aWaiterThatDiesAfterItsGrantKeepsThePermitForTheClaimWindowOnly() {
    assertThat(one.acquire("a:1", 1, LONG).granted()).isTrue();
    assertThat(one.await("b:1", 1, LONG).granted()).isFalse();
    assertThat(one.release("a:1")).isEqualTo(1);
    assertThat(one.scripts.told("b:1")).singleElement().asString().startsWith("granted");
    await().atMost(Duration.ofSeconds(60)).until(() -> one.acquire("c:1", 1, LONG).granted());
  }

  @Test
  void aDeadHolderKeepsNothingAfterItsLeaseEvenWithAChangedLimit() {
    one.limit(2);
    assertThat(one.acquire("a:1", 1, SHORT).granted()).isTrue();
    assertThat(one.acquire("b:1", 1, SHORT).granted()).isTrue();
    await().atMost(Duration.ofSeconds(60)).until(() -> one.acquire("c:1", 1, LONG).granted());
  }

  @Test
  void aPoolLivesAsLongAsItsLongestLease() {
    three.acquire("a:1", 1, LONG);
    three.acquire("b:1", 1, SOME);
    assertThat(three.millisLeft()).isBetween(SOME + 1, LONG);
    three.release("b:1");
    assertThat(three.millisLeft()).isBetween(SOME + 1, LONG);
    assertThat(three.scripts.millisLeft(RedisKeys.leases(three.key)))
        .isGreaterThan(three.millisLeft());
  }

  @Test
  void aPoolDoesNotOutliveTheRemainingLeases() {
    three.acquire("a:1", 1, LONG);
    three.acquire("b:1", 1, SOME);
    three.release("a:1");
    assertThat(three.millisLeft()).isBetween(1L, SOME);
    assertThat(three.scripts.millisLeft(RedisKeys.leases(three.key))).isBetween(1L, SOME + 1000);
  }

  @Test
  void aPoolServedByAReleaseLivesAsLongAsTheShortGrant() {
    one.acquire("a:1", 1, LONG);
    one.await("b:1", 1, LONG);
    one.release("a:1");
    assertThat(one.millisLeft()).isNotEqualTo(-1).isLessThanOrEqualTo(SHORT);
  }

  @Test
  void aLeaseCountsAlthoughItsEntryWasRemovedByHand() {
    three.acquire("a:1", 1, LONG);
    three.acquire("b:1", 1, SOME);
    three.scripts.redis.call("ZREM", RedisKeys.leases(three.key), three.scripts.owner("a:1"));
    three.release("b:1");
    assertThat(three.holds("a:1")).isTrue();
    assertThat(three.millisLeft()).isBetween(SOME + 1, LONG);
  }

  @Test
  void anAttemptForMoreThanTheLimitLeavesNothing() {
    three.limit(2);
    three.limit(3); // the declared limit, which need not be remembered
    assertThat(three.scripts.exists(three.key)).isFalse();
    three.limit(2);
    assertThat(three.acquire("a:1", 3, LONG).granted()).isFalse();
    assertThat(three.millisLeft()).as("the limit is remembered").isEqualTo(-1);
    three.limit(3);
    assertThat(three.scripts.exists(three.key)).isFalse();
  }

  @Test
  void aPoolWithAWaiterForMoreThanTheLimitDoesNotStayForGood() {
    three.acquire("a:1", 3, LONG);
    three.await("b:1", 3, LONG);
    three.scripts.redis.call("DEL", three.key, RedisKeys.leases(three.key));
    ScriptCalls sameKey = new ScriptCalls(RedisServer.shared(), three.key);
    try (PoolCalls smaller = new PoolCalls(sameKey, "semaphore", 2, SHORT)) {
      assertThat(smaller.acquire("c:1", 1, SOME).granted()).as("b:1 is passed over").isTrue();
      assertThat(smaller.millisLeft()).isBetween(1L, SOME);
      assertThatThrownBy(() -> three.await("b:1", 3, LONG))
          .isInstanceOf(RespException.class)
          .hasMessageContaining("2 permits for others");
      assertThat(smaller.millisLeft()).isBetween(1L, SOME);
    }
  }

  @Test
  void aHalfCreatedPoolDoesNotStayForGood() {
    three.scripts.redis.call("SET", RedisKeys.queue(three.key), "of another type", "PX", "60000");
    assertThatThrownBy(() -> three.acquire("a:1", 1, LONG)).isInstanceOf(RespException.class);
    assertThat(three.millisLeft()).isNotEqualTo(-1).isLessThanOrEqualTo(1000);
  }
}
