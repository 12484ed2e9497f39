package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.connect;
import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.LossReason;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.RedisMonitor;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Servers that stop and networks that break, while a lock is held, waited for or released.
 *
 * <p>Leases are much longer than the patience of the tests, unless a test is about their end: an
 * acquire in time did not wait for the end of a lease, and a starved process loses none.
 */
@Isolated
@Timeout(300)
class RedisFaultsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisServer server = RedisServer.builder().start();
  private final FaultyProxy network = FaultyProxy.to(server);
  private final RespClient client = server.client();
  private final LockManager direct = manager(patient(server.url()));
  private final LockManager shaky = manager(network.url() + "?timeout=500ms");
  private final OtherThread other = new OtherThread("other");

  /** The first connection of a JVM loads a thousand classes, which may take longer than 500 ms. */
  @BeforeAll
  static void connectOnce() {
    LockManager.create(patient(RedisServer.shared().url())).close();
  }

  @AfterEach
  void close() {
    if (!server.isRunning()) {
      server.restart();
    }
    network.heal();
    other.close();
    shaky.close();
    direct.close();
    client.close();
    network.close();
    server.close();
  }

  // ---- the connection breaks

  @Test
  void aHeldLockSurvivesACutConnection() {
    AtomicInteger renewals = new AtomicInteger();
    shaky.addListener(
        event -> {
          if (event.kind() == LockEvent.Kind.RENEWED) {
            renewals.incrementAndGet();
          }
        });
    DistributedLock lock = shaky.getLock(oftenRenewed("k"));
    lock.lock();
    for (int i = 0; i < 5; i++) {
      network.cut();
      int before = renewals.get();
      eventually().until(() -> renewals.get() > before); // on a new connection
    }
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    lock.unlock();
    eventually().until(() -> !exists("k"));
  }

  @Test
  void aWaiterSurvivesACutConnectionAndGetsTheLock() {
    DistributedLock held = direct.getLock("k");
    held.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> held.info().waiters().size() == 1);
    network.cut();
    held.unlock();
    OtherThread.get(waiting);
    assertThat(other.check(() -> shaky.getLock("k").isHeldByCurrentThread())).isTrue();
    other.run(() -> shaky.getLock("k").unlock());
  }

  @Test
  void aReleaseWithoutAnAnswerIsRepeatedUntilTheLockIsFree() {
    DistributedLock lock = shaky.getLock("k");
    lock.lock();
    network.blackHole();
    lock.unlock(); // does not throw: the work was done under the lock
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(exists("k")).isTrue();
    network.heal();
    eventually().until(() -> !exists("k")); // long before its lease ends
  }

  @Test
  void aReleaseWhoseAnswerIsLostIsNotMistakenForALoss() {
    DistributedLock lock = shaky.getLock("k");
    lock.lock();
    network.blackHoleReplies();
    lock.unlock();
    eventually().until(() -> !exists("k"));
    network.heal();
    assertThat(direct.getLock("k").tryLock()).isTrue();
    direct.getLock("k").unlock();
  }

  @Test
  void anAcquireWhoseAnswerIsLostIsFoundAgainByItsRetry() {
    shaky.getLock("warm").lock();
    network.blackHoleReplies();
    Future<Long> acquired =
        other.start(
            () -> {
              shaky.getLock("k").lock();
              return shaky.getLock("k").fencingToken();
            });
    eventually().until(() -> exists("k"));
    assertThat(acquired).isNotDone();
    network.heal();
    assertThat(OtherThread.get(acquired)).isPositive();
    assertThat(direct.getLock("k").tryLock()).isFalse();
    other.run(() -> shaky.getLock("k").unlock());
    eventually().until(() -> !exists("k"));
  }

  @Test
  void anAcquireWithoutAnAnswerFailsAndLeavesNoLock() {
    network.blackHoleReplies();
    try (RedisMonitor monitor = client.monitor()) {
      assertThatThrownBy(() -> shaky.getLock("k").tryLock())
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("'k'")
          .hasMessageContaining("redis");
      // the lock was granted without an answer, and then released
      eventually().until(() -> monitor.commands().stream().anyMatch(c -> c.name().equals("HSET")));
      eventually().until(() -> !exists("k"));
    }
    network.heal();
  }

  @Test
  void aTimedTryOnADeadNetworkIsAFaultAndNotBusy() {
    network.blackHole();
    assertThatThrownBy(() -> shaky.getLock("k").tryLock(700, TimeUnit.MILLISECONDS))
        .isInstanceOf(StoreUnavailableException.class);
    CompletableFuture<Lease> async =
        shaky.getLock("k2").waitUpTo(Duration.ofMillis(700)).acquireAsync();
    assertThatThrownBy(() -> OtherThread.get(async)).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aHalfOpenConnectionIsReplaced() {
    DistributedLock lock = shaky.getLock("k");
    lock.lock();
    lock.unlock();
    network.blackHole();
    Future<Boolean> waiting = other.startRun(lock::lock);
    eventually()
        .until(() -> network.connectionsFromClients() > 2); // the manager does not wait for ever
    network.heal();
    OtherThread.get(waiting);
    other.run(lock::unlock);
  }

  @Test
  void aHolderCutOffForLongerThanItsLeaseIsInvalidBeforeTheNextGrantAndLearnsOfTheLoss() {
    LockConfig brief = LockConfig.builder().lockKey("k").leaseTime(Duration.ofMillis(1500)).build();
    CompletableFuture<LockLoss> told = new CompletableFuture<>();
    Lease lease = shaky.getLock(brief).acquire().onLost(told::complete);
    network.blackHole();
    // The callback needs a thread, which a busy machine may not give it in time. The local deadline
    // needs none.
    boolean validBesideTheNext =
        other.call(
            () -> {
              direct.getLock("k").lock();
              return lease.isValid();
            });
    assertThat(validBesideTheNext).isFalse();
    assertThat(told).succeedsWithin(PATIENCE);
    assertThat(told.join().reason()).isEqualTo(LossReason.NOT_RENEWED);
    network.heal();
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
    assertThat(other.check(() -> direct.getLock("k").isHeldByCurrentThread())).isTrue();
    other.run(() -> direct.getLock("k").unlock());
  }

  @Test
  void aLostWakeUpDoesNotCostALease() {
    DistributedLock held = direct.getLock("k");
    held.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> held.info().waiters().size() == 1);
    network.blackHoleReplies(); // also swallows the message with the grant
    held.unlock();
    eventually().until(() -> network.swallowedFromServer() > 0);
    network.heal();
    OtherThread.get(waiting);
    other.run(() -> shaky.getLock("k").unlock());
  }

  @Test
  void aMessageWithoutASubscriberDoesNotCostTheTurn() {
    DistributedLock held = direct.getLock("k");
    held.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> held.info().waiters().size() == 1);
    client.call("CLIENT", "KILL", "TYPE", "pubsub"); // for an instant there is no subscriber
    held.unlock();
    OtherThread.get(waiting);
    other.run(() -> shaky.getLock("k").unlock());
  }

  // ---- the server stops

  @Test
  void waitersAndNewLocksSurviveARestartWithoutData() {
    DistributedLock before = direct.getLock(oftenRenewed("k"));
    before.lock();
    long token = before.fencingToken();
    Future<Long> waiting =
        other.start(
            () -> {
              shaky.getLock(oftenRenewed("k")).lock();
              return shaky.getLock(oftenRenewed("k")).fencingToken();
            });
    eventually().until(() -> before.info().waiters().size() == 1);
    server.kill();
    server.restart(); // no scripts, no locks, no queue, no subscription
    assertThat(OtherThread.get(waiting)).isGreaterThan(token);
    eventually().until(() -> !before.isHeldByCurrentThread());
    assertThatThrownBy(before::unlock).isInstanceOf(LockLostException.class);
    other.run(() -> shaky.getLock(oftenRenewed("k")).unlock());
    before.lock();
    before.unlock();
  }

  @Test
  void aServerThatHasForgottenItsScriptsGetsThemAgain() {
    DistributedLock lock = direct.getLock("k");
    lock.lock();
    client.call("SCRIPT", "FLUSH");
    lock.unlock();
    client.call("SCRIPT", "FLUSH");
    lock.lock();
    lock.unlock();
    assertThat(exists("k")).isFalse();
  }

  @Test
  void aServerPauseShorterThanTheLeaseLosesNoLock() {
    DistributedLock lock = direct.getLock(oftenRenewed("k"));
    lock.lock();
    server.pause();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("other").lock());
    eventually().until(other::isWaiting);
    server.resume();
    OtherThread.get(waiting);
    other.run(() -> shaky.getLock("other").unlock());
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    lock.unlock();
  }

  @Test
  void aWaitEndsWithAFaultWhenTheStoreStaysAway() {
    LockConfig impatient =
        LockConfig.builder().lockKey("k").storeTimeout(Duration.ofSeconds(1)).build();
    server.stop();
    assertThatThrownBy(() -> direct.getLock(impatient).lock())
        .isInstanceOf(StoreUnavailableException.class);
    server.restart();
    eventually().ignoreExceptions().until(() -> direct.getLock("k").tryLock());
    direct.getLock("k").unlock();
  }

  // ---- messages that anyone may publish

  @Test
  void forgedMessagesCauseAtMostAWakeUp() {
    DistributedLock held = direct.getLock("k");
    held.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> held.info().waiters().size() == 1);
    String waiter = held.info().waiters().get(0).owner();
    String holder = held.info().holder().orElseThrow().owner();
    for (String owner : new String[] {waiter, holder}) {
      String clientId = owner.substring(0, owner.indexOf(':'));
      for (String message :
          new String[] {
            "",
            "granted",
            "granted\u001f" + clientId + ":guess\u001f5\u001f5\u001f5000\u001f0\u001flock\u001fk",
            "lost\u001f" + clientId + ":guess",
            "wanted\u001f" + clientId + ":guess",
            "changed\u001f" + clientId + ":guess",
            "granted\u001f" + owner + "\u001f-1\u001fx\u001f0\u001f0\u001flock\u001fk",
            "x".repeat(100_000)
          }) {
        client.call("PUBLISH", "holdfast:inbox:" + clientId, message);
      }
    }
    assertThat(held.isHeldByCurrentThread()).isTrue();
    assertThat(held.info().holder().orElseThrow().owner()).isEqualTo(holder);
    assertThat(waiting).isNotDone();
    held.unlock();
    OtherThread.get(waiting);
    other.run(() -> shaky.getLock("k").unlock());
  }

  private static LockManager manager(String url) {
    LockConfig config = LockConfig.builder().leaseTime(600).build();
    return connect(LockManager.builder(url).defaults(config));
  }

  /** The next renewal soon tells the holder the state of the lock. */
  private static LockConfig oftenRenewed(String key) {
    return LockConfig.builder()
        .lockKey(key)
        .leaseTime(Duration.ofMinutes(10))
        .renewalTime(Duration.ofMillis(500))
        .build();
  }

  private boolean exists(String key) {
    return Long.valueOf(1).equals(client.call("EXISTS", key));
  }

  private static ConditionFactory eventually() {
    return Awaitility.await()
        .pollInSameThread()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5));
  }
}
