package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A server that refuses a release for a while: the lock is free soon after, long before the lease
 * ends.
 */
@Isolated
@Timeout(240)
class RedisRefusedReleaseTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final RedisServer server =
      RedisServer.builder().aclUser("app on >secret ~* &* +@all").start();
  private final RespClient client = server.client();
  private final LockManager manager = longLeases(server.url("app", "secret"));
  private final LockManager other = longLeases(server.url());
  private final DistributedLock lock = manager.getLock("k");

  @AfterEach
  void close() {
    permitEverything();
    manager.close();
    other.close();
    client.close();
    server.close();
  }

  @Test
  void aReleaseWithoutEnoughReplicasIsRepeatedWhenTheyAreBack() {
    lock.lock();
    CompletableFuture<Lease> next = other.getLock("k").acquireAsync();
    eventually().until(() -> lock.info().waiters().size() == 1);

    client.call("CONFIG", "SET", "min-replicas-to-write", "1");
    assertThatCode(lock::unlock)
        .as("the work that was done is not in doubt")
        .doesNotThrowAnyException();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(isStored()).isTrue();
    permitEverything();

    assertThat(next).succeedsWithin(SOON);
    next.join().close();
    assertThat(isStored()).isFalse();
  }

  @Test
  void anAcquireWithoutEnoughReplicasSucceedsWhenTheyAreBack() {
    client.call("CONFIG", "SET", "min-replicas-to-write", "1");
    CompletableFuture<Lease> asked = lock.acquireAsync();
    eventually().until(this::hasRefusedForWantOfReplicas);
    assertThat(asked).isNotDone();

    permitEverything();

    assertThat(asked).succeedsWithin(SOON);
    asked.join().close();
  }

  @Test
  void aForbiddenReleaseIsRepeatedUntilItIsPermitted() {
    lock.lock();
    CompletableFuture<Lease> next = other.getLock("k").acquireAsync();
    eventually().until(() -> lock.info().waiters().size() == 1);

    client.call("ACL", "SETUSER", "app", "-evalsha", "-eval");
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("'k'")
        .hasMessageContaining("NOPERM");
    assertThat(isStored()).isTrue();
    permitEverything();

    assertThat(next).succeedsWithin(SOON);
    next.join().close();
    assertThat(isStored()).isFalse();
  }

  /**
   * A lease much longer than the patience of the tests: an acquire in time did not wait for its
   * end.
   */
  private static LockManager longLeases(String url) {
    return LockManager.builder(patient(url))
        .defaults(LockConfig.builder().leaseTime(600).build())
        .build();
  }

  private void permitEverything() {
    client.call("CONFIG", "SET", "min-replicas-to-write", "0");
    client.call("ACL", "SETUSER", "app", "+@all");
  }

  private boolean isStored() {
    return Long.valueOf(1).equals(client.call("EXISTS", "k"));
  }

  private boolean hasRefusedForWantOfReplicas() {
    return String.valueOf(client.call("INFO", "errorstats")).contains("errorstat_NOREPLICAS");
  }

  private static ConditionFactory eventually() {
    return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5));
  }
}
