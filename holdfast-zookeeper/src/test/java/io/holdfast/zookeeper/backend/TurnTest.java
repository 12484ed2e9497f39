package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.AcquireResult.Busy;
import io.holdfast.spi.AcquireResult.Granted;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.testkit.ZooKeeperNodes;
import io.holdfast.testkit.ZooKeeperServer;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A waiter whose turn comes: what its grant rests on, and from when on its lease counts. */
@Timeout(60)
class TurnTest {
  private static final long LONG = 30_000;
  private static final long MOST = 10_000; // half of the session's 20 s

  private final String servers = ZooKeeperServer.shared();
  private final ZooKeeperNodes nodes = ZooKeeperNodes.connect(servers);
  private final BackendBench one = new BackendBench(servers, Duration.ofSeconds(20));
  private final BackendBench two = new BackendBench(servers, Duration.ofSeconds(20));
  private final BackendBench three = new BackendBench(servers, Duration.ofSeconds(20));
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

  private static void hears(BackendBench bench, Owner owner) {
    Awaitility.await().until(() -> bench.signals.contains("changed " + owner.tenureId()));
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
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
  void itsLeaseCountsFromTheLastContact() {
    lineUp();
    pause(300);
    one.release(lock, holder);
    hears(two, waiter);
    assertThat(lease(two, waiter)).isBetween(MOST * 3 / 4, MOST - 2 * 300);
  }

  @Test
  void aContactOfLongAgoIsMadeAnew() {
    lineUp();
    two.stopTimer(); // it would have another by itself
    pause(1_600); // an eighth of the lease is less
    one.release(lock, holder);
    hears(two, waiter);
    assertThat(lease(two, waiter)).isEqualTo(MOST);
  }

  @Test
  void behindOthersItsLeaseCountsFromTheLastContactToo() {
    lineUp();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    pause(300);
    one.release(lock, holder);
    hears(two, waiter);
    assertThat(lease(two, waiter)).isPositive();
    two.release(lock, waiter);
    hears(three, last);
    assertThat(lease(three, last)).isBetween(MOST * 3 / 4, MOST - 2 * 300);
  }

  @Test
  void oneThatGivesUpDoesNotMakeRoomForTheNextWhileTheFirstHolds() {
    lineUp();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    two.release(lock, waiter);
    hears(three, last);
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    one.release(lock, holder);
    Awaitility.await().until(() -> ask(three, last) instanceof Granted);
  }

  @Test
  void oneWhoseNodeWasRemovedHasNoTurn() {
    lineUp();
    nodes.deleteAll(nodeOf(waiter));
    hears(two, waiter);
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    one.release(lock, holder);
    hears(three, last);
    assertThat(lease(three, last)).isPositive();
    assertThat(ask(two, waiter)).isInstanceOf(Busy.class);
    three.release(lock, last);
    Awaitility.await().until(() -> ask(two, waiter) instanceof Granted);
  }

  @Test
  void oneBehindOthersWhoseNodeWasRemovedHasNoTurn() {
    lineUp();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    nodes.deleteAll(nodeOf(last));
    two.release(lock, waiter);
    hears(three, last);
    one.release(lock, holder);
    Owner next = one.newOwner();
    assertThat(lease(one, next)).isPositive();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
  }

  @Test
  void whenItHoldsItIsToldThatItsNodeIsGoneAlsoIfOthersWait() {
    lineUp();
    one.release(lock, holder);
    hears(two, waiter);
    assertThat(lease(two, waiter)).isPositive();
    assertThat(ask(three, last)).isInstanceOf(Busy.class);
    Awaitility.await().until(() -> two.signals.contains("wanted " + waiter.tenureId()));
    nodes.deleteAll(nodeOf(waiter));
    Awaitility.await().until(() -> two.signals.contains("lost " + waiter.tenureId()));
  }

  @Test
  void whatAWaiterWritesDoesNotMakeItAsk() {
    lineUp();
    two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true, "holds a");
    two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true, "holds b");
    pause(300);
    one.release(lock, holder);
    hears(two, waiter);
    AcquireResult result = two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true, "holds b");
    assertThat(((Granted) result).leaseMillis()).isBetween(MOST * 3 / 4, MOST - 2 * 300);
  }

  @Test
  void aShortLeaseCountsFromTheLastWrite() {
    lease(one, holder);
    long lease = 4_000;
    two.acquire(lock, waiter, Claim.EXCLUSIVE, lease, true);
    pause(200);
    one.release(lock, holder);
    hears(two, waiter);
    AcquireResult result = two.acquire(lock, waiter, Claim.EXCLUSIVE, lease, true);
    assertThat(((Granted) result).leaseMillis()).isBetween(lease / 2, lease - 200);
  }

  /** ZooKeeper's own client gives signs of life all the time, but nobody knows when. */
  @Test
  void afterASilenceLittleIsPromisedAndSoonAgainAll() {
    try (BackendBench silent = new BackendBench(servers, Duration.ofSeconds(8))) {
      Owner owner = silent.newOwner();
      assertThat(lease(silent, owner)).isEqualTo(4_000);
      silent.release(lock, owner);
      silent.stopTimer(); // no beats from now on
      pause(4_000);
      Owner later = silent.newOwner();
      assertThat(lease(silent, later)).isBetween(2_600L, 3_700L);
      pause(2_100); // what it asked then was passed on meanwhile
      assertThat(silent.renew(lock, later, Claim.EXCLUSIVE, LONG))
          .isEqualTo(new RenewResult.Renewed(4_000, false));
      pause(5_200);
      assertThat(silent.renew(lock, later, Claim.EXCLUSIVE, LONG))
          .isInstanceOf(RenewResult.Unknown.class);
      Owner last = silent.newOwner();
      silent.release(lock, later);
      assertThat(ask(silent, last)).isInstanceOf(AcquireResult.Unknown.class);
      pause(2_100);
      assertThat(lease(silent, last)).isEqualTo(4_000);
      silent.release(lock, last);
    }
  }

  @Test
  void withABeatThereIsNoSilence() {
    try (BackendBench idle = new BackendBench(servers, Duration.ofSeconds(4))) {
      pause(5_000);
      Owner owner = idle.newOwner();
      assertThat(lease(idle, owner)).isEqualTo(2_000);
      idle.release(lock, owner);
    }
  }
}
