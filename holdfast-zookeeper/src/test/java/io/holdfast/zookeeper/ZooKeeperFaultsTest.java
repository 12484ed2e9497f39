package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedCountDownLatch;
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
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.data.Stat;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Servers stop, sessions end and networks break at every step of a lock. */
@Timeout(300)
@Order(1) // long
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperFaultsTest {
  /** A session that outlasts the test, and a short time-out for requests without an answer. */
  private static final String IMPATIENT = "?sessionTimeout=60s&timeout=2s&connectTimeout=60s";

  /** A session that the servers end soon. */
  private static final String BRIEF = "?sessionTimeout=6s&timeout=2s&connectTimeout=60s";

  private static final Comparator<String> BY_NUMBER =
      Comparator.comparing(name -> name.substring(name.lastIndexOf('~')));

  private final ZooKeeperServer server = ZooKeeperServer.start();
  private final FaultyProxy network = FaultyProxy.to("127.0.0.1", server.port());
  private final LockManager direct = LockManager.create(server.url() + Patience.LASTING);
  private final LockManager shaky = behindTheNetwork(IMPATIENT);
  private final OtherThread other = new OtherThread("other");

  @AfterEach
  void close() {
    network.heal();
    other.close();
    shaky.close();
    direct.close();
    network.close();
    server.close();
  }

  private LockManager behindTheNetwork(String options) {
    return LockManager.create("zookeeper://127.0.0.1:" + network.port() + options);
  }

  private static ConditionFactory eventually() {
    return Patience.eventually().ignoreException(StoreUnavailableException.class);
  }

  private List<String> line(String key) {
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      return nodes.children("/holdfast/" + key).stream()
          .filter(name -> !name.equals("kept"))
          .toList();
    }
  }

  /** Creates the container of a key, with a node inside that keeps it. */
  private void prepare(String key) {
    direct.getLock(key).lock();
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      nodes.create("/holdfast/" + key + "/kept");
    }
    direct.getLock(key).unlock();
  }

  private Stat statOfOnly(String key) {
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      String name = nodes.children("/holdfast/" + key).get(0);
      return Objects.requireNonNull(nodes.stat("/holdfast/" + key + "/" + name));
    }
  }

  /** A lock whose lease and attempts outlast the test, however slow the machine is. */
  private static LockConfig lasting(String key) {
    return LockConfig.builder()
        .lockKey(key)
        .leaseTime(Duration.ofMinutes(10))
        .storeTimeout(Duration.ofMinutes(10))
        .build();
  }

  /** A lease as long as the session is sure to live, renewed several times a second. */
  private static LockConfig renewedOften(String key) {
    return lasting(key).toBuilder()
        .leaseTime(Duration.ofSeconds(30))
        .renewalTime(Duration.ofMillis(300))
        .build();
  }

  @Test
  void healthTellsWhetherTheConnectionIsOpen() {
    assertThat(direct.health().connections()).isEqualTo(1);
    server.stop();
    eventually().until(() -> direct.health().connections() == 0);
    server.restart();
    eventually().until(() -> direct.health().connections() == 1);
  }

  @Test
  void aWaiterThatLeavesALatchDuringAnOutageIsNotShownForever() {
    DistributedCountDownLatch latch = direct.getCountDownLatch("k");
    latch.trySetCount(1);
    try (LockManager longLived = behindTheNetwork(Patience.LASTING)) {
      CompletableFuture<Boolean> leaves = longLived.getCountDownLatch("k").awaitAsync();
      CompletableFuture<Boolean> stays = longLived.getCountDownLatch("k").awaitAsync();
      eventually().until(() -> latch.info().waiters().size() == 2);
      network.refuse();
      leaves.cancel(false);
      assertThat(latch.info().waiters()).as("the store cannot know yet").hasSize(2);
      network.heal();
      eventually().until(() -> latch.info().waiters().size() == 1);
      latch.countDown();
      assertThat(OtherThread.get(stays)).isTrue();
      eventually().until(() -> waiters("k").isEmpty());
    }
  }

  @Test
  void aWaiterOfALatchIsShownAgainAfterTheEndOfItsSession() {
    DistributedCountDownLatch latch = direct.getCountDownLatch("k");
    latch.trySetCount(1);
    try (LockManager brief = behindTheNetwork(BRIEF)) {
      CompletableFuture<Boolean> waits = brief.getCountDownLatch(lasting("k")).awaitAsync();
      eventually().until(() -> latch.info().waiters().size() == 1);
      network.refuse();
      eventually().until(() -> latch.info().waiters().isEmpty());
      network.heal();
      eventually().until(() -> latch.info().waiters().size() == 1);
      latch.countDown();
      assertThat(OtherThread.get(waits)).isTrue();
    }
  }

  /** After a reconnection events come in any order: the one of the predecessor may be first. */
  @Test
  void aWaiterWhoseNodeWasDeletedDuringAnOutageHasNoTurn() {
    DistributedLock held = direct.getLock("k");
    held.lock();
    try (LockManager longLived = behindTheNetwork(Patience.LASTING)) {
      CompletableFuture<Lease> waits = longLived.getLock("k").acquireAsync();
      eventually().until(() -> line("k").size() == 2);
      eventually().until(() -> held.info().waiters().size() == 1);
      network.refuse();
      try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
        nodes.deleteAll("/holdfast/k/" + line("k").stream().max(BY_NUMBER).orElseThrow());
      }
      held.unlock();
      held.lock();
      network.heal();
      eventually().until(() -> waits.isDone() || line("k").size() == 2);
      assertThat(waits).isNotDone();
      held.unlock();
      OtherThread.get(waits).close();
    }
  }

  private List<String> waiters(String key) {
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      return nodes.children("/holdfast/" + key + "/waiters");
    }
  }

  // ---- the connection breaks, the session lives

  @Test
  void aHeldLockSurvivesCutConnections() {
    AtomicInteger renewals = new AtomicInteger();
    shaky.addListener(
        event -> {
          if (event.kind() == LockEvent.Kind.RENEWED) {
            renewals.incrementAndGet();
          }
        });
    DistributedLock lock = shaky.getLock(renewedOften("k"));
    lock.lock();
    for (int i = 0; i < 3; i++) {
      network.cut();
      int before = renewals.get();
      eventually().until(() -> renewals.get() > before);
    }
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(direct.getLock("k").tryLock()).isFalse();
    lock.unlock();
    eventually().until(() -> line("k").isEmpty());
  }

  @Test
  void aWaiterSurvivesACutConnectionAndKeepsItsPlace() {
    DistributedLock lock = direct.getLock("k");
    lock.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> lock.info().waiters().size() == 1);
    String place = lock.info().waiters().get(0).owner();
    network.reset();
    eventually().until(() -> network.openConnections() == 1);
    assertThat(lock.info().waiters()).extracting(w -> w.owner()).containsExactly(place);
    lock.unlock();
    OtherThread.get(waiting);
    other.run(() -> shaky.getLock("k").unlock());
  }

  @Test
  void aReleaseDuringAnOutageIsCompletedAfterReconnection() {
    DistributedLock lock = shaky.getLock("k");
    lock.lock();
    network.refuse();
    lock.unlock(); // continues in the background
    assertThat(line("k")).hasSize(1);
    network.heal();
    eventually().until(() -> line("k").isEmpty());
  }

  // ---- answers are lost

  @Test
  void aNodeWhoseCreateWasNotAnsweredIsAdopted() throws Exception {
    prepare("k");
    network.blackHoleReplies();
    CompletableFuture<Lease> coming = shaky.getLock("k").acquireAsync();
    eventually().until(() -> line("k").size() == 1);
    List<String> created = line("k");
    network.heal(); // the connection has lost bytes and closes; the session lives
    Lease lease = coming.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
    assertThat(lease.isValid()).isTrue();
    assertThat(line("k")).isEqualTo(created);
    lease.close();
    eventually().until(() -> line("k").isEmpty());
  }

  @Test
  void aNodeWhoseCreateWasNotAnsweredIsDeletedWhenItsCallerGivesUp() {
    prepare("k");
    network.blackHoleReplies();
    assertThatThrownBy(() -> shaky.getLock("k").tryLock(500, TimeUnit.MILLISECONDS))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("zookeeper cannot be reached");
    eventually().until(() -> line("k").size() == 1);
    network.heal();
    eventually().until(() -> line("k").isEmpty());
  }

  @Test
  void aDeleteWhoseAnswerIsLostIsRepeatedAndCountsAsDone() {
    DistributedLock lock = shaky.getLock("k");
    lock.lock();
    network.blackHoleReplies();
    lock.unlock(); // continues in the background
    eventually().until(() -> line("k").isEmpty());
    assertThat(direct.getLock("k").tryLock()).isTrue();
    network.heal();
    direct.getLock("k").unlock();
    other.run(lock::lock);
    other.run(lock::unlock);
  }

  @Test
  void anInterruptDuringTheCreateLeavesNoNodeBehind() {
    prepare("k");
    try (LockManager patient = behindTheNetwork(Patience.LASTING)) {
      network.delay(Duration.ofSeconds(8)); // the interrupt comes before the answer
      long before = network.receivedFromClient();
      Future<Boolean> locking = other.startRun(() -> patient.getLock("k").lockInterruptibly());
      eventually().until(() -> network.receivedFromClient() > before);
      other.interrupt();
      assertThatThrownBy(() -> OtherThread.get(locking))
          .hasCauseInstanceOf(InterruptedException.class);
      eventually().until(() -> network.bytesToServer() > before);
      network.delay(Duration.ZERO);
      eventually().until(() -> line("k").isEmpty());
    }
  }

  // ---- silence

  @Test
  void aSilentHolderGivesUpItsLeaseBeforeTheNextGrant() throws Exception {
    LockManager brief = behindTheNetwork(BRIEF);
    Lease lease = brief.getLock("k").acquire();
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    lease.onLost(losses::add);
    network.blackHole();
    try (Lease next =
        direct.getLock("k").acquire()) { // once the servers have ended the silent session
      assertThat(lease.isValid()).isFalse();
      assertThat(next.token()).isGreaterThan(lease.token());
    }
    LockLoss loss = losses.poll(60, TimeUnit.SECONDS);
    assertThat(loss).isNotNull();
    assertThat(loss.reason()).isEqualTo(LossReason.NOT_RENEWED);
    network.heal();
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
    try (Lease again = brief.getLock("k").acquire()) {
      assertThat(again.isValid()).isTrue();
    }
    brief.close();
  }

  @Test
  void aStoreThatIsDownIsAFaultNotABusyLock() {
    network.refuse();
    eventually()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> shaky.getLock("k").tryLock())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("zookeeper cannot be reached"));
    network.heal();
    shaky.getLock("k").lock();
    shaky.getLock("k").unlock();
  }

  // ---- sessions end

  @Test
  void aHolderLearnsOfTheEndOfItsSessionAtOnceAndCanLockAgain() throws Exception {
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    Lease lease = direct.getLock("k").acquire().onLost(losses::add);
    server.expire(statOfOnly("k").getEphemeralOwner());
    LockLoss loss = losses.poll(60, TimeUnit.SECONDS);
    assertThat(loss).isNotNull();
    assertThat(loss.reason()).isEqualTo(LossReason.GONE_FROM_STORE);
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
    try (Lease again = direct.getLock("k").acquire()) {
      assertThat(again.token()).isGreaterThan(lease.token());
    }
  }

  @Test
  void theEndOfASessionFreesItsPermits() {
    Lease both = direct.getSemaphore("k", 2).acquire(2);
    server.expire(statOfOnly("k").getEphemeralOwner());
    try (Lease one = shaky.getSemaphore("k", 2).acquire()) {
      assertThat(one.isValid()).isTrue();
    }
    eventually().until(() -> !both.isValid());
  }

  @Test
  void aWaiterWhoseSessionEndsLinesUpAgainInANewSession() {
    DistributedLock lock = direct.getLock("k");
    lock.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> lock.info().waiters().size() == 1);
    String waiter =
        line("k").stream()
            .max((a, b) -> a.substring(a.length() - 10).compareTo(b.substring(b.length() - 10)))
            .orElseThrow();
    long session;
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      session = Objects.requireNonNull(nodes.stat("/holdfast/k/" + waiter)).getEphemeralOwner();
    }
    server.expire(session);
    eventually().until(() -> lock.info().waiters().size() == 1 && !line("k").contains(waiter));
    lock.unlock();
    OtherThread.get(waiting);
    other.run(() -> shaky.getLock("k").unlock());
  }

  // ---- the server

  @Test
  void holdersAndWaitersSurviveARestartOfTheServer() {
    DistributedLock lock = direct.getLock(lasting("k"));
    lock.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock(lasting("k")).lock());
    eventually().until(() -> lock.info().waiters().size() == 1);
    server.restart();
    eventually().until(() -> lock.info().waiters().size() == 1);
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(waiting).isNotDone();
    lock.unlock();
    OtherThread.get(waiting);
    other.run(() -> shaky.getLock("k").unlock());
  }

  @Test
  void aServerThatLostItsDataLosesTheLocksAndTokensStillGrow() throws Exception {
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    LockManager brief = behindTheNetwork(BRIEF);
    Lease lease = brief.getLock("k").acquire().onLost(losses::add);
    for (int i = 0; i < 50; i++) {
      direct.getLock("other").lock();
      direct.getLock("other").unlock();
    }
    server.restartEmpty();
    assertThat(losses.poll(60, TimeUnit.SECONDS)).isNotNull();
    try (LockManager stranger = LockManager.create(server.url() + Patience.LASTING);
        Lease next = stranger.getLock("k").acquire()) {
      assertThat(next.token()).isGreaterThan(lease.token());
    }
    brief.close();
  }

  // ---- nodes changed by hand

  @Test
  void aWaiterWhoseWholeLineIsDeletedLinesUpAgain() {
    DistributedLock lock = direct.getLock(renewedOften("k"));
    lock.lock();
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> lock.info().waiters().size() == 1);
    List<String> fromItsEnd = line("k").stream().sorted(BY_NUMBER.reversed()).toList();
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      nodes.deleteAtOnce(inLine("k", fromItsEnd));
    }
    OtherThread.get(waiting);
    assertThat(line("k")).hasSize(1);
    eventually().until(() -> !lock.isHeldByCurrentThread());
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThat(direct.getLock("k").tryLock()).isFalse();
    other.run(() -> shaky.getLock("k").unlock());
  }

  private static List<String> inLine(String key, List<String> names) {
    return names.stream().map(name -> "/holdfast/" + key + "/" + name).toList();
  }

  /**
   * The turn of the waiter lasts from one operation of a transaction to the next. A renewal would
   * also notice the loss, so there is none for a minute.
   */
  @Test
  void aWaiterDeletedTogetherWithTheHolderLearnsItAtOnce() {
    prepare("k");
    try (LockManager longLived =
        LockManager.create(server.url() + "?sessionTimeout=400s&timeout=30s&connectTimeout=60s")) {
      for (int i = 0; i < 4; i++) {

        Lease held = direct.getLock(renewedOften("k")).acquire();
        CompletableFuture<Lease> waits = longLived.getLock(lasting("k")).acquireAsync();
        eventually().until(() -> direct.getLock("k").info().waiters().size() == 1);
        List<String> fromItsFront = line("k").stream().sorted(BY_NUMBER).toList();
        try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
          nodes.deleteAtOnce(inLine("k", fromItsFront));
        }
        Lease removed = OtherThread.get(waits);
        Patience.eventually().atMost(Duration.ofSeconds(50)).until(() -> !removed.isValid());
        try (Lease next = direct.getLock("k").acquire()) {
          assertThat(next.token()).isGreaterThan(removed.token());
        }
        eventually().until(() -> !held.isValid());
      }
    }
  }

  @Test
  void locksWorkAfterTheRootWasDeletedByHandAndTokensGrow() {
    long before;
    try (Lease lease = direct.getLock("k").acquire()) {
      before = lease.token();
    }
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      nodes.deleteAll("/holdfast");
    }
    try (Lease first = direct.getLock("k").acquire()) {
      assertThat(first.token()).isGreaterThan(before);
      before = first.token();
    }
    try (Lease second = shaky.getLock("k").acquire()) {
      assertThat(second.token()).isGreaterThan(before);
    }
  }

  @Test
  void foreignNodesInALineAreIgnored() {
    DistributedLock lock = direct.getLock("k");
    lock.lock();
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      nodes.create("/holdfast/k/a-stranger");
      nodes.create("/holdfast/k/lock~not-an-owner~0000000000");
      nodes.create("/holdfast/k/lock~c:t~xyz");
      nodes.create("/holdfast/k/0000000000");
    }
    Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
    eventually().until(() -> lock.info().waiters().size() == 1);
    lock.unlock();
    OtherThread.get(waiting);
    other.run(() -> shaky.getLock("k").unlock());
    assertThat(direct.getLock("k").tryLock()).isTrue();
    direct.getLock("k").unlock();
  }
}
