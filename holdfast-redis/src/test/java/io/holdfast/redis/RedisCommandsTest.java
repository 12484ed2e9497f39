package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testkit.RedisMonitor;
import io.holdfast.testkit.RedisServer;
import io.holdfast.testkit.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What a lock costs: commands as the server sees them, connections, threads. */
@Isolated
@Timeout(90)
class RedisCommandsTest {
  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();
  private LockManager manager;

  @BeforeEach
  void connect() {
    manager = LockManager.create(server.url());
  }

  @AfterEach
  void close() {
    manager.close();
    client.close();
    server.close();
  }

  @Test
  void anUncontendedPairIsTwoCommandsAndTouchesNoExtraKeyOrSubscription() {
    DistributedLock lock = manager.getLock("k");
    try (RedisMonitor monitor = client.monitor()) {
      lock.lock();
      assertThat(keys()).containsExactlyInAnyOrder("k", "holdfast:fence");
      lock.unlock();
      assertThat(commandsOfClients(monitor)).containsExactly("EVALSHA", "KEYS", "EVALSHA");
    }
    assertThat(keys()).containsExactly("holdfast:fence");
  }

  @Test
  void everythingThatIsKnownLocallyCostsNoCommand() throws Exception {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    OtherThread other = new OtherThread("other");
    try (RedisMonitor monitor = client.monitor()) {
      lock.lock();
      assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
      lock.unlock();
      lock.unlock();
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      assertThat(lock.getHoldCount()).isEqualTo(1);
      assertThat(lock.fencingToken()).isPositive();
      assertThat(lock.isLocked()).isTrue();
      assertThat(lock.remainingLease()).isPositive();
      assertThat(other.check(() -> lock.tryLock())).isFalse();
      assertThat(other.check(() -> lock.tryLock(10, TimeUnit.MILLISECONDS))).isFalse();
      assertThat(other.check(lock::isHeldByCurrentThread)).isFalse();
      client.call("PING");
      assertThat(commandsOfClients(monitor)).containsExactly("PING");
    }
    other.close();
    lock.unlock();
  }

  @Test
  void aLocalHandoffCostsNoCommand() {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    List<CompletableFuture<Long>> tokens = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      tokens.add(
          lock.acquireAsync()
              .thenCompose(lease -> lease.closeAsync().thenApply(closed -> lease.token())));
    }
    try (RedisMonitor monitor = client.monitor()) {
      lock.unlock();
      List<Long> seen = tokens.stream().map(CompletableFuture::join).toList();
      assertThat(seen).isSorted().doesNotHaveDuplicates();
      client.call("PING");
      assertThat(commandsOfClients(monitor)).containsExactly("EVALSHA", "PING");
    }
  }

  @Test
  void aContendedHandOverBetweenProcessesIsOneCommandToAskAndOneToReleaseAfterAPing() {
    try (LockManager second = LockManager.create(server.url());
        OtherThread other = new OtherThread("other")) {
      DistributedLock mine = manager.getLock("k");
      DistributedLock theirs = second.getLock("k");
      mine.lock();
      try (RedisMonitor monitor = client.monitor()) {
        Future<Boolean> waiting = other.startRun(theirs::lock);
        await().until(() -> commandsOfClients(monitor).size() == 1);
        mine.unlock();
        OtherThread.get(waiting);
        other.run(theirs::unlock);
        assertThat(commandsOfClients(monitor))
            .containsExactly("EVALSHA", "PING", "EVALSHA", "EVALSHA");
      }
    }
  }

  @Test
  void inStrictOrderTheNextThreadIsInTheQueueWithTheReleaseOfTheOneBefore() {
    try (LockManager second = LockManager.create(server.url());
        OtherThread other = new OtherThread("other");
        OtherThread next = new OtherThread("next")) {
      DistributedLock mine = manager.getFairLock("k");
      DistributedLock theirs = second.getFairLock("k");
      mine.lock();
      Future<Boolean> waiting = other.startRun(theirs::lock);
      await().until(() -> mine.info().waiters().size() == 1);
      Future<Boolean> waitingHere = next.startRun(mine::lock);
      await().until(() -> mine.info().localWaiters() == 1 && next.isWaiting());
      try (RedisMonitor monitor = client.monitor()) {
        mine.unlock();
        assertThat(commandsOfClients(monitor)).containsExactly("EVALSHA", "EVALSHA");
        OtherThread.get(waiting);
        other.run(theirs::unlock);
        OtherThread.get(waitingHere);
        next.run(mine::unlock);
        assertThat(commandsOfClients(monitor))
            .containsExactly("EVALSHA", "EVALSHA", "PING", "EVALSHA", "EVALSHA");
      }
    }
  }

  @Test
  void severalFreeLocksAreTakenByOneCommand() {
    DistributedLock multi = manager.getMultiLock("a", "b", "c");
    try (RedisMonitor monitor = client.monitor()) {
      multi.lock();
      client.call("PING");
      assertThat(commandsOfClients(monitor)).containsExactly("EVALSHA", "PING");
      assertThat(keys()).containsExactlyInAnyOrder("a", "b", "c", "holdfast:fence");
    }
    multi.unlock();
    assertThat(keys()).containsExactly("holdfast:fence");
  }

  @Test
  void fourHundredWaitersOnFourHundredNamesSimplyWork() throws Exception {
    int names = 400;
    List<Lease> held = new ArrayList<>();
    try (LockManager second = LockManager.create(server.url())) {
      for (int i = 0; i < names; i++) {
        held.add(manager.getLock("name:" + i).acquire());
      }
      int threadsBefore = Thread.activeCount();
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int i = 0; i < names; i++) {
        waiting.add(second.getLock("name:" + i).acquireAsync());
      }
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> client.list("KEYS", "holdfast:queue:*").size() == names);
      assertThat(connectionsOfManagers()).isEqualTo(4);
      assertThat(Thread.activeCount()).isLessThan(threadsBefore + 10);
      held.forEach(Lease::close);
      CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
      waiting.forEach(lease -> lease.join().close());
    }
    assertThat(keys()).containsExactly("holdfast:fence");
  }

  @Test
  void aThousandHeldLocksAreRenewedInAFewCommands() throws Exception {
    LockConfig config = LockConfig.builder().leaseTime(3).renewalTime(1).build();
    List<CompletableFuture<Lease>> leases = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      leases.add(manager.getLock(config.withKey("held:" + i)).acquireAsync());
    }
    CompletableFuture.allOf(leases.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
    int threads = Thread.activeCount();
    try (RedisMonitor monitor = client.monitor()) {
      // no lock may be lost, and every one must be renewed about twice in this time
      await().atMost(20, TimeUnit.SECONDS).until(() -> renewedKeys(monitor) >= 2500);
      assertThat(commandsOfClients(monitor).size()).isLessThan(60);
    }
    assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 2);
    assertThat(leases).allMatch(lease -> lease.join().isValid());
    CompletableFuture.allOf(
            leases.stream().map(l -> l.join().closeAsync()).toArray(CompletableFuture[]::new))
        .get(30, TimeUnit.SECONDS);
  }

  @Test
  void oneManagerHasTwoConnectionsAndAFewThreads() {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    lock.unlock();
    assertThat(connectionsOfManagers()).isEqualTo(2);
    long threads =
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(n -> n.startsWith("holdfast-timer") || n.startsWith("lettuce"))
            .count();
    assertThat(threads).isLessThanOrEqualTo(10);
    manager.close();
    await().until(() -> connectionsOfManagers() == 0);
  }

  @Test
  void aWaiterThatWaitsLongLooksAboutOnceASecond() {
    try (LockManager second = LockManager.create(server.url())) {
      Lease held = manager.getLock("k").acquire();
      CompletableFuture<Lease> waiting = second.getLock("k").acquireAsync();
      await().until(() -> !client.list("KEYS", "holdfast:queue:k").isEmpty());
      try (RedisMonitor monitor = client.monitor()) {
        long start = System.nanoTime();
        await().atMost(Duration.ofSeconds(20)).until(() -> commandsOfClients(monitor).size() >= 3);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .isGreaterThan(Duration.ofMillis(1600));
      }
      waiting.cancel(false);
      held.close();
    }
  }

  private static long renewedKeys(RedisMonitor monitor) {
    return monitor.commands().stream()
        .filter(c -> c.fromScript() && c.name().startsWith("PEXPIRE"))
        .count();
  }

  private static List<String> commandsOfClients(RedisMonitor monitor) {
    return monitor.commands().stream()
        .filter(command -> !command.fromScript())
        .map(RedisMonitor.Command::name)
        .toList();
  }

  private List<String> keys() {
    return client.list("KEYS", "*").stream().map(String::valueOf).toList();
  }

  private long connectionsOfManagers() {
    return String.valueOf(client.call("CLIENT", "LIST"))
        .lines()
        .filter(line -> line.contains("name=holdfast"))
        .count();
  }
}
