package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.AcquireResult.Busy;
import io.holdfast.spi.AcquireResult.Granted;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.testkit.FakeClock;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import io.holdfast.zookeeper.Patience;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A waiter whose turn comes: what its grant rests on, and from when on its lease counts. The test
 * moves the clock of the client; the server's clock runs as usual.
 */
@Timeout(300)
class TurnTest {
  private static final Duration SESSION = Duration.ofMinutes(5);
  private static final long LONG = 600_000;
  private static final long MOST = SESSION.toMillis() / 2;

  private final FakeClock clock = new FakeClock();
  private final String servers = ZooKeeperServer.shared();
  private final ZooKeeperNodes nodes = ZooKeeperNodes.connect(servers);
  private final BackendBench one = new BackendBench(servers, SESSION, clock);
  private final BackendBench two = new BackendBench(servers, SESSION, clock);
  private final BackendBench three = new BackendBench(servers, SESSION, clock);
  private final String key = "turn:" + UUID.randomUUID();
  private final Resource lock = Resource.lock(key);
  private final Owner holder = one.newOwner();
  private final Owner waiter = two.newOwner();
  private final Owner last = three.newOwner();

  @AfterEach
  void close() {
    one.close();
    two.close();
    three.close();
    nodes.deleteAll("/holdfast/" + key);
    nodes.close();
  }

  private AcquireResult ask(BackendBench bench, Owner owner) {
    return bench.acquire(lock, owner, Claim.EXCLUSIVE, LONG, true);
  }

  private long lease(BackendBench bench, Owner owner) {
    AcquireResult result = ask(bench, owner);
    assertThat(result).isInstanceOf(Granted.class);
    return ((Granted) result).leaseMillis();
  }

  private void lineUp() {
    assertThat(lease(one, holder)).isEqualTo(MOST);
    assertThat(ask(two, waiter)).isInstanceOf(Busy.class);
  }

  private static void awaitChanged(BackendBench bench, Owner owner) {
    Patience.eventually().until(() -> bench.signals.contains("changed " + owner.tenureId()));
  }

  private void pause(long millis) {
    clock.advance(Duration.ofMillis(millis));
  }

  private String nodeOf(Owner owner) {
    return "/holdfast/"
        + key
        + "/"
        + nodes.children("/holdfast/" + key).stream()
            .filter(
                name -> name.contains(owner.tenureId() + "~") && name.contains(owner.clientId()))
            .findFirst()
            .orElseThrow();
  }

  @Test
  void theLeaseCountsFromTheLastContact() {
    lineUp();
    pause(300);
    one.release(lock, holder);
    awaitChanged(two, waiter);
    assertThat(lease(two, waiter)).isEqualTo(MOST - 2 * 300);
  }

  @Test
  void anOldContactIsRenewed() {
    lineUp();
    two.stopTimer(); // otherwise a heartbeat would renew it
    pause(MOST / 8 + 1_000);
    one.release(lock, holder);
    awaitChanged(two, waiter);
    assertThat(lease(two, waiter)).isEqualTo(MOST);
  }

  @Test
  void theLeaseOfALaterWaiterCountsFromTheLastContactToo() {
    lineUp();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    pause(300);
    one.release(lock, holder);
    awaitChanged(two, waiter);
    assertThat(lease(two, waiter)).isPositive();
    two.release(lock, waiter);
    awaitChanged(three, last);
    assertThat(lease(three, last)).isEqualTo(MOST - 2 * 300);
  }

  @Test
  void aWaiterThatGivesUpGivesTheNextNoTurnWhileTheHolderHolds() {
    lineUp();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    two.release(lock, waiter);
    awaitChanged(three, last);
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    one.release(lock, holder);
    Patience.eventually().until(() -> ask(three, last) instanceof Granted);
  }

  @Test
  void aWaiterWhoseNodeWasDeletedHasNoTurn() {
    lineUp();
    nodes.deleteAll(nodeOf(waiter));
    awaitChanged(two, waiter);
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    one.release(lock, holder);
    awaitChanged(three, last);
    assertThat(lease(three, last)).isPositive();
    assertThat(ask(two, waiter)).isInstanceOf(Busy.class);
    three.release(lock, last);
    Patience.eventually().until(() -> ask(two, waiter) instanceof Granted);
  }

  @Test
  void aLaterWaiterWhoseNodeWasDeletedHasNoTurn() {
    lineUp();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    nodes.deleteAll(nodeOf(last));
    two.release(lock, waiter);
    awaitChanged(three, last);
    one.release(lock, holder);
    Owner next = one.newOwner();
    assertThat(lease(one, next)).isPositive();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
  }

  @Test
  void aFormerWaiterLearnsThatItsNodeIsGoneWhileOthersWait() {
    lineUp();
    one.release(lock, holder);
    awaitChanged(two, waiter);
    assertThat(lease(two, waiter)).isPositive();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    Patience.eventually()
        .until(
            () -> {
              pause(10); // the holder looks after a moment
              return two.signals.contains("contended " + waiter.tenureId());
            });
    nodes.deleteAll(nodeOf(waiter));
    Patience.eventually().until(() -> two.signals.contains("lost " + waiter.tenureId()));
  }

  @Test
  void aWriteOfTheWaiterDoesNotMakeItRead() {
    lineUp();
    two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true, "holds a");
    two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true, "holds b");
    pause(300);
    one.release(lock, holder);
    awaitChanged(two, waiter);
    AcquireResult result = two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true, "holds b");
    assertThat(((Granted) result).leaseMillis()).isEqualTo(MOST - 2 * 300);
  }

  @Test
  void aShortLeaseCountsFromTheLastWrite() {
    lease(one, holder);
    long lease = 40_000;
    two.acquire(lock, waiter, Claim.EXCLUSIVE, lease, true);
    pause(200);
    one.release(lock, holder);
    awaitChanged(two, waiter);
    AcquireResult result = two.acquire(lock, waiter, Claim.EXCLUSIVE, lease, true);
    assertThat(((Granted) result).leaseMillis()).isBetween(lease / 2, lease - 200);
  }

  /** ZooKeeper's own client sends signs of life too, but does not tell when. */
  @Test
  void afterASilenceTheLeaseIsShortAndSoonFullAgain() {
    long session = SESSION.toMillis();
    try (BackendBench silent = new BackendBench(servers, SESSION, clock)) {
      Owner owner = silent.newOwner();
      assertThat(lease(silent, owner)).isEqualTo(MOST);
      silent.release(lock, owner);
      silent.stopTimer(); // no heartbeats from now on
      pause(session * 5 / 10);
      Owner next = silent.newOwner();
      long left = session - session * 55 / 100; // clocks may drift by a tenth
      assertThat(lease(silent, next)).isEqualTo(left);
      pause(session * 3 / 10); // its request of then was passed on meanwhile
      assertThat(silent.renew(lock, next, Claim.EXCLUSIVE, LONG))
          .isEqualTo(new RenewResult.Renewed(MOST, false));
      pause(session * 7 / 10);
      assertThat(silent.renew(lock, next, Claim.EXCLUSIVE, LONG))
          .isInstanceOf(RenewResult.Unknown.class);
      Owner last = silent.newOwner();
      silent.release(lock, next);
      assertThat(ask(silent, last)).isInstanceOf(AcquireResult.Unknown.class);
      pause(session * 3 / 10);
      assertThat(lease(silent, last)).isEqualTo(MOST);
      silent.release(lock, last);
    }
  }

  @Test
  void aHeartbeatPreventsSilence() {
    try (ZooKeeperServer server = ZooKeeperServer.start();
        BackendBench idle = new BackendBench(server.servers(), SESSION, clock)) {
      for (int i = 0; i < 10; i++) {
        long before = BackendBench.requests(server);
        pause(SESSION.toMillis() / 8 + 1);
        AtomicInteger asked = new AtomicInteger();
        Patience.eventually() // a heartbeat besides the queries of this test
            .until(() -> BackendBench.requests(server) - before > asked.incrementAndGet());
        LockSupport.parkNanos(20_000_000); // and the answer to it
      }
      Owner owner = idle.newOwner();
      assertThat(lease(idle, owner)).isEqualTo(MOST);
      idle.release(lock, owner);
    }
  }
}
