package io.holdfast.redis;

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
import io.holdfast.testkit.FaultyProxy;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testkit.RedisMonitor;
import io.holdfast.testkit.RedisServer;
import io.holdfast.testkit.RespClient;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Servers that stop and networks that break, while a lock is held, waited for or given back. */
@Isolated
@Timeout(90)
class RedisFaultsTest {
  private final RedisServer server = RedisServer.builder().start();
  private final FaultyProxy network = FaultyProxy.to(server);
  private final RespClient client = server.client();
  private final LockManager direct = LockManager.create(server.url() + "?timeout=500ms");
  private final LockManager shaky = LockManager.create(network.url() + "?timeout=500ms");
  private final OtherThread other = new OtherThread("other");

  /** The first connection of a JVM loads a thousand classes, which may take longer than 500 ms. */
  @BeforeAll
  static void connectOnce() {
    LockManager.create(RedisServer.shared().url()).close();
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
    DistributedLock lock = shaky.getLock(quick("k"));
    lock.lock();
    for (int i = 0; i < 5; i++) {
      network.cut();
      int before = renewals.get();
      eventually().until(() -> renewals.get() > before); // on a new connection
    }
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    lock.unlock();
    assertThat(exists("k")).isFalse();
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
  void aReleaseThatGotNoAnswerIsRepeatedUntilTheLockIsFree() {
    DistributedLock lock = shaky.getLock("k");
    lock.lock();
    network.blackHole();
    lock.unlock(); // does not throw: nothing is wrong with the work that was done
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(exists("k")).isTrue();
    network.heal();
    eventually().until(() -> !exists("k")); // long before its lease of 30 s ends
  }

  @Test
  void aReleaseWhoseAnswerIsLostIsNotMistakenForALoss() {
    DistributedLock lock = shaky.getLock("k");
    lock.lock();
    network.blackHoleReplies();
    lock.unlock();
    assertThat(exists("k")).isFalse();
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
    assertThat(exists("k")).isFalse();
  }

  @Test
  void anAttemptThatGetsNoAnswerIsAFaultAndTheLockIsNotLeftBehind() {
    network.blackHoleReplies();
    try (RedisMonitor monitor = client.monitor()) {
      assertThatThrownBy(() -> shaky.getLock("k").tryLock())
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("'k'")
          .hasMessageContaining("redis");
      // it was taken, we just did not hear of it; and then it was given back
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
    CompletableFuture<Lease> async = shaky.getLock("k2").acquireAsync(Duration.ofMillis(700));
    assertThatThrownBy(() -> OtherThread.get(async)).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aConnectionThatIsHalfOpenIsReplaced() {
    DistributedLock lock = shaky.getLock("k");
    lock.lock();
    lock.unlock();
    network.blackHole();
    Future<Boolean> waiting = other.startRun(lock::lock);
    eventually()
        .until(() -> network.connectionsFromClients() > 2); // it does not sit there for ever
    network.heal();
    OtherThread.get(waiting);
    other.run(lock::unlock);
  }

  @Test
  void aHolderCutOffForLongerThanItsLeaseIsToldBeforeAnotherIsGranted() throws Exception {
    DistributedLock lock = shaky.getLock(quick("k"));
    BlockingQueue<Long> toldAt = new LinkedBlockingQueue<>();
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    Lease lease =
        lock.acquire()
            .onLost(
                loss -> {
                  toldAt.add(System.nanoTime());
                  losses.add(loss);
                });
    network.blackHole();
    Future<Long> next =
        other.start(
            () -> {
              direct.getLock("k").lock();
              return System.nanoTime();
            });
    long grantedAt = OtherThread.get(next);
    Long told = toldAt.poll(20, TimeUnit.SECONDS);
    assertThat(told).isNotNull();
    assertThat(told - grantedAt).as("from grant to signal").isNegative();
    LockLoss loss = losses.poll(20, TimeUnit.SECONDS);
    assertThat(loss).isNotNull();
    assertThat(loss.reason()).isEqualTo(LossReason.NOT_RENEWED);
    network.heal();
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
    assertThat(other.check(() -> direct.getLock("k").isHeldByCurrentThread())).isTrue();
    other.run(() -> direct.getLock("k").unlock());
  }

  @Test
  void aLostWakeUpCostsASecondAndNotALease() {
    DistributedLock held = direct.getLock("k");
    held.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> held.info().waiters().size() == 1);
    network.blackHoleReplies(); // also swallows the message with the grant
    held.unlock();
    eventually().until(() -> network.swallowedFromServer() > 0);
    network.heal();
    long start = System.nanoTime();
    OtherThread.get(waiting);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    other.run(() -> shaky.getLock("k").unlock());
  }

  @Test
  void aMessageThatReachesNobodyDoesNotCostTheTurn() {
    DistributedLock held = direct.getLock("k");
    held.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> held.info().waiters().size() == 1);
    client.call("CLIENT", "KILL", "TYPE", "pubsub"); // for an instant nobody hears
    held.unlock();
    OtherThread.get(waiting);
    other.run(() -> shaky.getLock("k").unlock());
  }

  // ---- the server stops

  @Test
  void waitersAndNewLocksGoOnAfterARestartWithoutData() {
    DistributedLock before = direct.getLock(quick("k"));
    before.lock();
    long token = before.fencingToken();
    Future<Long> waiting =
        other.start(
            () -> {
              shaky.getLock(quick("k")).lock();
              return shaky.getLock(quick("k")).fencingToken();
            });
    eventually().until(() -> before.info().waiters().size() == 1);
    server.kill();
    server.restart(); // no scripts, no locks, no queue, no subscription
    assertThat(OtherThread.get(waiting)).isGreaterThan(token);
    eventually().until(() -> !before.isHeldByCurrentThread());
    assertThatThrownBy(before::unlock).isInstanceOf(LockLostException.class);
    other.run(() -> shaky.getLock(quick("k")).unlock());
    before.lock();
    before.unlock();
  }

  @Test
  void aServerThatForgotItsScriptsGetsThemAgain() {
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
  void aServerThatPausesForLessThanTheLeaseCostsNothing() {
    DistributedLock lock = direct.getLock(LockConfig.builder().lockKey("k").leaseTime(6).build());
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
  void aStoreThatStaysAwayEndsTheWaitWithAFault() {
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

  private static LockConfig quick(String key) {
    return LockConfig.builder().lockKey(key).leaseTime(Duration.ofMillis(1500)).build();
  }

  private boolean exists(String key) {
    return Long.valueOf(1).equals(client.call("EXISTS", key));
  }

  private static ConditionFactory eventually() {
    return Awaitility.await()
        .pollInSameThread()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(5));
  }
}
