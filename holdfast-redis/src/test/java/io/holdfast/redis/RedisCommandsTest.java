package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockLoss;
import io.holdfast.LockManager;
import io.holdfast.testkit.FakeClock;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.RedisMonitor;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** The cost of a lock: commands as the server sees them, connections, threads. */
@Isolated
@Timeout(300)
class RedisCommandsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();
  private LockManager manager;

  @BeforeEach
  void connect() {
    manager = notRenewed();
  }

  /** Leases are so long that neither renewals nor the watchdog disturb a count. */
  private LockManager notRenewed() {
    LockConfig config = LockConfig.builder().leaseTime(600).watchdogPeriod(500).build();
    return LockManager.builder(patient(server.url())).defaults(config).build();
  }

  /** A manager with a fake clock and without the watchdog. */
  private LockManager at(FakeClock clock) {
    LockConfig config = LockConfig.builder().leaseTime(600).watchdogPeriod(100).build();
    return clock.drive(LockManager.builder(patient(server.url()))).defaults(config).build();
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
  void localQuestionsCostNoCommand() throws Exception {
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
    manager.close();
    manager = at(new FakeClock()); // stands still: no hold lasts too long for a hand-over
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
  void aThousandHandedOverLocksAreConfirmedByTwoCommandsAndHeldLocksByNone() {
    FakeClock clock = new FakeClock();
    manager.close();
    manager = at(clock);
    List<CompletableFuture<Lease>> held = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      held.add(manager.getLock("held:" + i).acquireAsync());
    }
    held.forEach(CompletableFuture::join);
    try (RedisMonitor monitor = client.monitor()) {
      for (int i = 0; i < 1000; i++) {
        CompletableFuture<Lease> next = manager.getLock("held:" + i).acquireAsync();
        held.get(i).join().close();
        held.set(i, next);
        next.join();
      }
      clock.advance(Duration.ofMillis(500));
      eventually().until(() -> commandsOfClients(monitor).size() >= 2);
      // In small steps: a slow answer would look like a lost one.
      clock.advance(Duration.ofMillis(1400));
      client.call("PING");
      assertThat(commandsOfClients(monitor)).containsExactly("EVALSHA", "EVALSHA", "PING");
    }
    assertThat(held).allMatch(lease -> lease.join().isValid());
  }

  @Test
  void aLingeringLockIsConfirmedByOneCommandInHalfASecond() {
    FakeClock clock = new FakeClock();
    manager.close();
    manager = at(clock);
    LockConfig lingering = LockConfig.builder().leaseTime(600).watchdogPeriod(100).build();
    DistributedLock lock =
        manager.getLock(lingering.toBuilder().lockKey("k").linger(Duration.ofMinutes(1)).build());
    lock.acquire().close();
    try (RedisMonitor monitor = client.monitor()) {
      for (int i = 1; i <= 10; i++) {
        clock.advance(Duration.ofMillis(500));
        int asked = i;
        eventually().until(() -> commandsOfClients(monitor).size() >= asked);
      }
      client.call("PING");
      assertThat(commandsOfClients(monitor)).hasSize(11).endsWith("PING");
    }
  }

  @Test
  void aContendedHandOverBetweenProcessesTakesOneAcquireAndOneReleaseAfterAPing() {
    try (LockManager second = notRenewed();
        OtherThread other = new OtherThread("other")) {
      DistributedLock mine = manager.getLock("k");
      DistributedLock theirs = second.getLock("k");
      try (RedisMonitor monitor = client.monitor()) {
        mine.lock();
        String here = monitor.commands().get(0).source();
        Runnable hearAll = hearsAll(manager);
        monitor.clear();
        long began = System.nanoTime();
        Future<Boolean> waiting = other.startRun(theirs::lock);
        eventually().until(() -> commandsOfClients(monitor).size() >= 1);
        String there = ofClients(monitor).get(0).source();
        hearAll.run(); // the message that others wait
        int asked = namesOf(ofClients(monitor), there).size();
        monitor.clear();
        mine.unlock();
        OtherThread.get(waiting);
        other.run(theirs::unlock);
        List<RedisMonitor.Command> since = ofClients(monitor);
        assertThat(namesOf(since, here)).containsExactly("PING", "EVALSHA");
        assertThat(namesOf(since, there)).containsOnly("EVALSHA");
        assertThat(asked + namesOf(since, there).size())
            .as("to ask, to release, and a look for each second that it waits")
            .isBetween(2, 2 + mostLooksSince(began));
      }
    }
  }

  @Test
  void aFairReleaseQueuesTheNextThreadInTheSamePacket() {
    try (LockManager second = notRenewed();
        OtherThread other = new OtherThread("other");
        OtherThread next = new OtherThread("next")) {
      DistributedLock mine = manager.getFairLock("k");
      DistributedLock theirs = second.getFairLock("k");
      try (RedisMonitor monitor = client.monitor()) {
        mine.lock();
        String here = monitor.commands().get(0).source();
        Runnable hearAll = hearsAll(manager);
        monitor.clear();
        Future<Boolean> waiting = other.startRun(theirs::lock);
        eventually().until(() -> commandsOfClients(monitor).size() >= 1);
        String there = monitor.commands().get(0).source();
        hearAll.run();
        hearAll = hearsAll(second);
        Future<Boolean> waitingHere = next.startRun(mine::lock);
        eventually().until(() -> mine.info().localWaiters() == 1 && next.isWaiting());
        monitor.clear();
        long began = System.nanoTime();
        mine.unlock();
        assertThat(namesOf(ofClients(monitor), here))
            .as("to release and to queue, and a look for each second since")
            .containsOnly("EVALSHA")
            .hasSizeBetween(2, 2 + mostLooksSince(began));
        OtherThread.get(waiting);
        hearAll.run();
        other.run(theirs::unlock);
        OtherThread.get(waitingHere);
        next.run(mine::unlock);
        assertThat(namesOf(ofClients(monitor), here))
            .containsOnly("EVALSHA")
            .hasSizeBetween(3, 3 + mostLooksSince(began));
        assertThat(namesOf(ofClients(monitor), there)).containsSequence("PING", "EVALSHA");
      }
    }
  }

  @Test
  void oneCommandTakesSeveralFreeLocks() {
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
  void fourHundredWaitersOnFourHundredKeysAreServed() throws Exception {
    int names = 400;
    List<Lease> held = new ArrayList<>();
    try (LockManager second = notRenewed()) {
      for (int i = 0; i < names; i++) {
        held.add(manager.getLock("name:" + i).acquire());
      }
      int threadsBefore = Thread.activeCount();
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int i = 0; i < names; i++) {
        waiting.add(second.getLock("name:" + i).acquireAsync());
      }
      eventually().until(() -> client.list("KEYS", "holdfast:queue:*").size() == names);
      assertThat(connectionsOfManagers()).isEqualTo(4);
      assertThat(Thread.activeCount()).isLessThan(threadsBefore + 10);
      held.forEach(Lease::close);
      CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).get(200, TimeUnit.SECONDS);
      waiting.forEach(lease -> lease.join().close());
    }
    assertThat(keys()).containsExactly("holdfast:fence");
  }

  @Test
  void aThousandHeldLocksAreRenewedInAFewCommands() throws Exception {
    LockConfig config = LockConfig.builder().leaseTime(600).renewalTime(1).build();
    List<CompletableFuture<Lease>> leases = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      leases.add(manager.getLock(config.withKey("held:" + i)).acquireAsync());
    }
    CompletableFuture.allOf(leases.toArray(CompletableFuture[]::new)).get(200, TimeUnit.SECONDS);
    int threads = Thread.activeCount();
    try (RedisMonitor monitor = client.monitor()) {
      // no lock may be lost, and each must be renewed about twice in this time
      eventually().until(() -> renewedKeys(monitor) >= 2500);
      assertThat(commandsOfClients(monitor).size()).isLessThan(60);
    }
    assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 2);
    assertThat(leases).allMatch(lease -> lease.join().isValid());
    CompletableFuture.allOf(
            leases.stream().map(l -> l.join().closeAsync()).toArray(CompletableFuture[]::new))
        .get(200, TimeUnit.SECONDS);
  }

  @Test
  void oneManagerHasTwoConnectionsAndAFewThreads() {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    lock.unlock();
    eventually().untilAsserted(() -> assertThat(connectionsOfManagers()).isEqualTo(2));
    // Threads of managers that were closed before may still be ending.
    eventually().untilAsserted(() -> assertThat(threadsOfManagers()).hasSizeLessThanOrEqualTo(10));
    manager.close();
    eventually().until(() -> connectionsOfManagers() == 0);
  }

  private static List<String> threadsOfManagers() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(n -> n.startsWith("holdfast-timer") || n.startsWith("lettuce"))
        .toList();
  }

  @Test
  void aWaiterAsksAboutOnceASecond() {
    try (LockManager second = notRenewed()) {
      Lease held = manager.getLock("k").acquire();
      CompletableFuture<Lease> waiting = second.getLock("k").acquireAsync();
      eventually().until(() -> !client.list("KEYS", "holdfast:queue:k").isEmpty());
      try (RedisMonitor monitor = client.monitor()) {
        long start = System.nanoTime();
        eventually().until(() -> commandsOfClients(monitor).size() >= 3);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .isGreaterThan(Duration.ofMillis(1600));
      }
      waiting.cancel(false);
      held.close();
    }
  }

  /**
   * Messages come in order: a process that has received the message about a loss has received all
   * earlier ones. Acquires a lock for that; running the result sends the message about its loss.
   */
  private Runnable hearsAll(LockManager process) {
    String key = "probe:" + UUID.randomUUID();
    CompletableFuture<LockLoss> heard = new CompletableFuture<>();
    CompletableFuture<LockEvent> explained = new CompletableFuture<>();
    process.addListener(
        event -> {
          if (event.kind() == LockEvent.Kind.FINDING && event.key().equals(key)) {
            explained.complete(event);
          }
        });
    process.getLock(key).acquire().onLost(heard::complete);
    return () -> {
      try (LockManager third = notRenewed()) {
        third.getLock(key).forceUnlock();
      }
      assertThat(heard).succeedsWithin(PATIENCE);
      assertThat(explained).as("the question that follows a loss").succeedsWithin(PATIENCE);
    };
  }

  /** A waiter asks once a second, less a jitter of 10 %. */
  private static int mostLooksSince(long began) {
    return (int) (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) / 900);
  }

  private static ConditionFactory eventually() {
    return Awaitility.await()
        .pollInSameThread()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5));
  }

  /** Without the checks of the subscription, one every second. */
  private static List<RedisMonitor.Command> ofClients(RedisMonitor monitor) {
    return monitor.commands().stream()
        .filter(command -> !command.fromScript() && !command.name().equals("SUBSCRIBE"))
        .toList();
  }

  private static List<String> namesOf(List<RedisMonitor.Command> commands, String source) {
    return commands.stream()
        .filter(command -> command.source().equals(source))
        .map(RedisMonitor.Command::name)
        .toList();
  }

  private static long renewedKeys(RedisMonitor monitor) {
    return monitor.commands().stream()
        .filter(c -> c.fromScript() && c.name().startsWith("PEXPIRE"))
        .count();
  }

  private static List<String> commandsOfClients(RedisMonitor monitor) {
    return ofClients(monitor).stream().map(RedisMonitor.Command::name).toList();
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
