package io.holdfast.redis.backend;

import static io.holdfast.redis.PatientUrl.patient;
import static io.holdfast.redis.backend.ScriptCalls.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.spi.Owner;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RedisSubscription;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Anyone who may publish on the server can write into an inbox. That must not take a lock from its
 * holder, stop grants, or stop the client from receiving messages.
 */
@Isolated
class HostileMessagesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String key = "hostile:" + UUID.randomUUID();
  private RedisServer server;
  private RespClient redis;
  private LockManager manager;
  private String inbox;

  @BeforeEach
  void start() {
    server = RedisServer.builder().start();
    redis = server.client();
    manager = LockManager.create(patient(server.url()));
    DistributedLock lock = manager.getLock(key + ":own");
    lock.lock();
    inbox = RedisKeys.inbox(holderOf(lock.key()).clientId());
    lock.unlock();
  }

  @AfterEach
  void stop() {
    manager.close();
    redis.close();
    server.close();
  }

  @Test
  void aForgedGrantDoesNotReleaseTheLockOfAnotherClient() {
    try (LockManager victim = LockManager.create(patient(server.url()))) {
      victim.getLock(key).lock();
      Owner owner = holderOf(key);
      publish(message("granted", owner, micros(), micros(), 1500, 1, "lock", key));
      awaitAllMessagesRead();
      assertThat(redis.call("HEXISTS", key, owner.toString())).isEqualTo(1L);
      victim.getLock(key).unlock();
    }
  }

  @Test
  void aForgedGrantFromTheFarFutureDoesNotStopGrants() {
    long farthest = (1L << 52) - 1;
    Owner anybody = new Owner(inbox.substring(inbox.lastIndexOf(':') + 1), "1-forged");
    publish(message("granted", anybody, farthest, micros(), 1500, 1, "lock", key));
    awaitAllMessagesRead();
    DistributedLock lock = manager.getLock(key);
    lock.lock();
    assertThat(lock.fencingToken()).isPositive();
    lock.unlock();
    lock.lock();
    lock.unlock();
  }

  @Test
  void aForgedGrantForCenturiesDoesNotStopMessages() {
    Owner anybody = new Owner(inbox.substring(inbox.lastIndexOf(':') + 1), "1-forged");
    publish(message("granted", anybody, micros(), micros(), Long.MAX_VALUE, 1, "lock", key));
    awaitAllMessagesRead();
    assertThat(redis.call("PUBLISH", inbox, "still there?")).isEqualTo(1L);
  }

  @Test
  void garbageIsIgnored() {
    publish("");
    publish("garbage");
    publish("\u001f".repeat(1000));
    publish("granted\u001f".repeat(1000));
    publish("x".repeat(1_000_000));
    awaitAllMessagesRead();
    DistributedLock lock = manager.getLock(key);
    lock.lock();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    lock.unlock();
  }

  @Test
  void aForgedLossOfAnUnknownTenureTakesNothing() {
    DistributedLock lock = manager.getLock(key);
    lock.lock();
    Owner owner = holderOf(key);
    publish(message("lost", new Owner(owner.clientId(), "1-guessed")));
    publish(message("lost", new Owner("other", "2-guessed")));
    awaitAllMessagesRead();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    lock.unlock();
  }

  @Test
  void aGrantThatIsReplayedOrNamesAnUnknownTenureOrAnotherKeyGrantsNothing() {
    try (LockManager other = LockManager.create(patient(server.url()));
        RedisSubscription overheard = redis.subscribe(inbox)) {
      Lease first = other.getLock(key).acquire();
      CompletableFuture<Lease> waiting = manager.getLock(key).acquireAsync();
      await().atMost(PATIENCE).until(() -> other.getLock(key).info().waiters().size() == 1);
      first.close();
      waiting.orTimeout(60, TimeUnit.SECONDS).join().close();
      String earlier = overheard.next(PATIENCE);
      assertThat(earlier).startsWith("granted\u001f");

      Lease held = other.getLock(key).acquire();
      CompletableFuture<Lease> again = manager.getLock(key).acquireAsync();
      await().atMost(PATIENCE).until(() -> other.getLock(key).info().waiters().size() == 1);
      publish(earlier);
      Owner unknown = new Owner(inbox.substring(inbox.lastIndexOf(':') + 1), "1-guessed");
      for (String each : List.of(key, key + ":another")) {
        publish(message("granted", unknown, micros(), micros(), 1500, 0, "lock", each));
        publish(message("granted", holderOf(key), micros(), micros(), 1500, 0, "lock", each));
      }
      publish(message("wanted", unknown));
      publish(message("changed", unknown));
      publish(earlier.replaceFirst("granted", "lost"));
      awaitAllMessagesRead();
      assertThat(again).isNotDone();
      assertThat(held.isValid()).isTrue();
      assertThat(holderOf(key).toString())
          .isEqualTo(other.getLock(key).info().holder().orElseThrow().owner());
      held.close();
      Lease next = again.orTimeout(60, TimeUnit.SECONDS).join();
      assertThat(next.token()).isGreaterThan(held.token());
      next.close();
    }
  }

  private void publish(String text) {
    assertThat((Long) redis.call("PUBLISH", inbox, text)).isPositive();
  }

  /**
   * Messages are read in order: a holder that has learned of a real loss, sent after them, has read
   * them all. The commands that they have caused are sent before the next command of the test.
   */
  private void awaitAllMessagesRead() {
    DistributedLock probe = manager.getLock(key + ":probe");
    probe.lock();
    publish(message("lost", holderOf(probe.key())));
    await().pollInSameThread().atMost(PATIENCE).until(() -> !probe.isHeldByCurrentThread());
    manager.getLock(key + ":flush").isLocked();
  }

  private Owner holderOf(String lockKey) {
    return redis.list("HKEYS", lockKey).stream()
        .map(String::valueOf)
        .filter(field -> !field.startsWith("@"))
        .map(Owner::parse)
        .findFirst()
        .orElseThrow();
  }

  private static long micros() {
    return System.currentTimeMillis() * 1000;
  }
}
