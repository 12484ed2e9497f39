package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.AcquireResult.Busy;
import io.holdfast.spi.AcquireResult.Granted;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import io.holdfast.zookeeper.Patience;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Single attempts, as core makes them, and the nodes after each. */
@Timeout(300)
class ZooKeeperBackendTest {
  private static final Duration SESSION = Duration.ofMinutes(5);
  private static final long LONG = 600_000;
  private static final long SHORT = 3_000;

  private final String servers = ZooKeeperServer.shared();
  private final ZooKeeperNodes nodes = ZooKeeperNodes.connect(servers);
  private final BackendBench one = new BackendBench(servers, SESSION);
  private final BackendBench two = new BackendBench(servers, SESSION);
  private final String key = "bench:" + UUID.randomUUID();
  private final Resource lock = Resource.lock(key);
  private final Resource readWrite = new Resource(Resource.Kind.READ_WRITE, key);
  private final Resource semaphore = new Resource(Resource.Kind.SEMAPHORE, key);

  @AfterEach
  void close() {
    one.close();
    two.close();
    nodes.deleteAll("/holdfast/" + key);
    nodes.close();
  }

  private static ConditionFactory eventually() {
    return Patience.eventually();
  }

  private List<String> line() {
    return nodes.children("/holdfast/" + key);
  }

  private static Granted granted(AcquireResult result) {
    assertThat(result).isInstanceOf(Granted.class);
    return (Granted) result;
  }

  /** A grant came too late for core, which asks again; then an operator deletes the node. */
  @Test
  void aPlaceWhoseNodeIsDeletedDuringAnAttemptIsNotForgotten() {
    int port = Integer.parseInt(servers.substring(servers.lastIndexOf(':') + 1));
    try (FaultyProxy network = FaultyProxy.to("127.0.0.1", port);
        BackendBench slow = new BackendBench("127.0.0.1:" + network.port(), SESSION)) {
      Owner holder = one.newOwner();
      Owner waiter = slow.newOwner();
      granted(one.acquire(lock, holder, Claim.EXCLUSIVE, LONG, true));
      assertThat(slow.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true)).isInstanceOf(Busy.class);
      one.release(lock, holder);
      eventually().until(() -> slow.signals.contains("changed " + waiter.tenureId()));
      granted(slow.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true));
      network.delay(Duration.ofSeconds(2)); // delays watch events, too
      nodes.deleteAll("/holdfast/" + key + "/" + line().get(0));
      CompletionStage<AcquireResult> again =
          slow.backend.acquire(
              new AcquireRequest(lock, waiter, Claim.EXCLUSIVE, LONG, "thread", true, 3000, ""));
      network.delay(Duration.ZERO); // applies to data sent from now on
      granted(BackendBench.get(again));
      assertThat(slow.renew(lock, waiter, Claim.EXCLUSIVE, LONG))
          .isInstanceOf(RenewResult.Renewed.class);
      assertThat(slow.release(lock, waiter)).isInstanceOf(ReleaseResult.Released.class);
      assertThat(line()).isEmpty();
      assertThat(slow.backend.remembered()).isZero();
    }
  }

  @Test
  void noLeaseIsLongerThanTheSessionIsSureToLive() {
    Owner owner = one.newOwner();
    Granted grant = granted(one.acquire(lock, owner, Claim.EXCLUSIVE, LONG, true));
    assertThat(grant.leaseMillis()).isEqualTo(SESSION.toMillis() / 2);
    RenewResult renewed = one.renew(lock, owner, Claim.EXCLUSIVE, LONG);
    assertThat(renewed).isEqualTo(new RenewResult.Renewed(SESSION.toMillis() / 2, false));
    assertThat(one.release(lock, owner)).isInstanceOf(ReleaseResult.Released.class);
    assertThat(one.release(lock, owner)).isInstanceOf(ReleaseResult.NotHeld.class);
  }

  @Test
  void aSecondAttemptOfAHolderGrantsAgainWithoutASecondNode() {
    Owner owner = one.newOwner();
    Granted first = granted(one.acquire(lock, owner, Claim.EXCLUSIVE, LONG, true));
    Granted second = granted(one.acquire(lock, owner, Claim.EXCLUSIVE, LONG, true));
    assertThat(second.tokens()).isEqualTo(first.tokens());
    assertThat(line()).hasSize(1);
  }

  @Test
  void anAttemptThatDoesNotWaitLeavesNoTrace() {
    granted(one.acquire(lock, one.newOwner(), Claim.EXCLUSIVE, LONG, false));
    int created = numberOfCreations();
    assertThat(two.acquire(lock, two.newOwner(), Claim.EXCLUSIVE, LONG, false))
        .isInstanceOf(Busy.class);
    assertThat(line()).hasSize(1);
    assertThat(numberOfCreations()).isEqualTo(created);
  }

  @Test
  void aPlaceIsKeptForAnAttemptThatFollowsAtOnce() {
    Owner holder = one.newOwner();
    granted(one.acquire(lock, holder, Claim.EXCLUSIVE, LONG, true));
    for (int i = 0; i < 20; i++) {
      Owner owner = two.newOwner();
      AcquireRequest look = request(owner, false);
      AcquireRequest wait = request(owner, true);
      AcquireResult last =
          BackendBench.get(
              two.backend
                  .acquire(look)
                  .thenCompose(busy -> two.backend.acquire(wait))
                  .thenCompose(busy -> two.backend.acquire(look)));
      assertThat(last).isInstanceOf(Busy.class);
      two.release(lock, owner);
      assertThat(line()).hasSize(1);
    }
  }

  @Test
  void noPlaceOfAFormerOwnerIsRemembered() {
    for (int i = 0; i < 20; i++) {
      Owner holder = one.newOwner();
      granted(one.acquire(lock, holder, Claim.EXCLUSIVE, LONG, i % 2 == 0));
      two.acquire(lock, two.newOwner(), Claim.EXCLUSIVE, LONG, false);
      Owner waiter = two.newOwner();
      two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true);
      two.release(lock, waiter);
      assertThatThrownBy(() -> two.acquire(readWrite, two.newOwner(), Claim.READ, LONG, true))
          .isInstanceOf(BackendException.class);
      if (i % 3 == 0) {
        nodes.deleteAll("/holdfast/" + key);
        one.renew(lock, holder, Claim.EXCLUSIVE, LONG);
      } else {
        one.release(lock, holder);
      }
    }
    assertThat(one.backend.remembered()).isZero();
    assertThat(two.backend.remembered()).isZero();
  }

  private AcquireRequest request(Owner owner, boolean enqueue) {
    return new AcquireRequest(lock, owner, Claim.EXCLUSIVE, LONG, "thread", enqueue, 3000, "");
  }

  private int numberOfCreations() {
    return Objects.requireNonNull(nodes.stat("/holdfast/" + key)).getCversion();
  }

  @Test
  void aWaiterIsNotifiedWhenItsPredecessorGoesAndAHolderOfContention() {
    Owner first = one.newOwner();
    granted(one.acquire(lock, first, Claim.EXCLUSIVE, LONG, true));
    eventually()
        .until(
            () -> { // the holder watches
              Owner second = two.newOwner();
              assertThat(two.acquire(lock, second, Claim.EXCLUSIVE, LONG, true))
                  .isInstanceOf(Busy.class);
              eventually().until(() -> one.signals.contains("contended " + first.tenureId()));
              one.release(lock, first);
              eventually().until(() -> two.signals.contains("changed " + second.tenureId()));
              granted(two.acquire(lock, second, Claim.EXCLUSIVE, LONG, true));
              return true;
            });
  }

  @Test
  void aWaiterWithAQuietWatchSendsNothing() {
    try (ZooKeeperServer server = ZooKeeperServer.start();
        BackendBench holds = new BackendBench(server.servers(), SESSION);
        BackendBench waits = new BackendBench(server.servers(), SESSION)) {
      granted(holds.acquire(lock, holds.newOwner(), Claim.EXCLUSIVE, LONG, true));
      Owner waiter = waits.newOwner();
      waits.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true);
      waits.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true);
      long before = BackendBench.requests(server);
      int times = 10_000;
      for (int i = 0; i < times; i++) {
        assertThat(waits.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true))
            .isInstanceOf(Busy.class);
      }
      assertThat(BackendBench.requests(server) - before)
          .as("a few heartbeats")
          .isLessThan(times / 10);
    }
  }

  @Test
  void theLeaseOfAHolderWithALiveSessionEndsByServerTime() {
    Owner holder = one.newOwner();
    Granted grant = granted(one.acquire(lock, holder, Claim.EXCLUSIVE, SHORT, true));
    one.renew(lock, holder, Claim.EXCLUSIVE, SHORT);
    Owner next = two.newOwner();
    AcquireResult first = two.acquire(lock, next, Claim.EXCLUSIVE, LONG, true);
    assertThat(((Busy) first).retryAfterMillis()).isBetween(0L, SHORT + 1);
    eventually()
        .until(
            () ->
                two.acquire(lock, next, Claim.EXCLUSIVE, LONG, true) instanceof Granted later
                    && later.tokens().first() > grant.tokens().last());
    assertThat(one.renew(lock, holder, Claim.EXCLUSIVE, SHORT))
        .isInstanceOf(RenewResult.Lost.class);
    assertThat(one.release(lock, holder)).isInstanceOf(ReleaseResult.NotHeld.class);
  }

  @Test
  void anAttemptThatDoesNotWaitEndsAnOverdueLeaseToo() {
    Owner holder = one.newOwner();
    granted(one.acquire(lock, holder, Claim.EXCLUSIVE, SHORT, true));
    one.renew(lock, holder, Claim.EXCLUSIVE, SHORT);
    eventually()
        .until(
            () ->
                two.acquire(lock, two.newOwner(), Claim.EXCLUSIVE, LONG, false) instanceof Granted);
  }

  @Test
  void aHolderThatRenewsIsNotEnded() {
    Owner holder = one.newOwner();
    long renewedAt = System.nanoTime();
    granted(one.acquire(lock, holder, Claim.EXCLUSIVE, SHORT, true));
    Owner next = two.newOwner();
    long end = renewedAt + Duration.ofMillis(2 * SHORT).toNanos();
    while (System.nanoTime() - end < 0) {
      long asked = System.nanoTime();
      boolean held = one.renew(lock, holder, Claim.EXCLUSIVE, SHORT) instanceof RenewResult.Renewed;
      if (held) {
        renewedAt = asked;
        held = two.acquire(lock, next, Claim.EXCLUSIVE, LONG, true) instanceof Busy;
      }
      if (!held) { // the machine paused for longer than the lease
        assertThat(System.nanoTime() - renewedAt).isGreaterThan(SHORT * 1_000_000);
        return;
      }
    }
  }

  @Test
  void theLastNoteOfAWaiterIsShown() {
    granted(one.acquire(lock, one.newOwner(), Claim.EXCLUSIVE, LONG, true));
    Owner waiter = two.newOwner();
    two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true, "holds a\u001fb");
    two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true, "holds c, d\n\u4e2d");
    LockSnapshot snapshot = BackendBench.get(two.backend.inspect(lock));
    assertThat(snapshot.waiters())
        .extracting(LockSnapshot.Waiter::note)
        .containsExactly("holds c, d\n\u4e2d");
    two.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true, "x".repeat(4000));
    assertThat(BackendBench.get(one.backend.inspect(lock)).waiters().get(0).note()).hasSize(4000);
  }

  @Test
  void checkTellsHoldersFromOthers() {
    Owner holds = one.newOwner();
    Owner lost = one.newOwner();
    Resource other = Resource.lock(key + ":other");
    granted(one.acquire(lock, holds, Claim.EXCLUSIVE, LONG, true));
    granted(one.acquire(other, lost, Claim.EXCLUSIVE, LONG, true));
    nodes.deleteAll("/holdfast/" + key + ":other");
    Holding stranger = new Holding(lock, one.newOwner());
    assertThat(
            BackendBench.get(
                one.backend.check(
                    List.of(new Holding(lock, holds), new Holding(other, lost), stranger))))
        .containsExactly(true, false, false);
    assertThat(BackendBench.get(one.backend.ping())).isNotNull();
  }

  @Test
  void aHolderLearnsThatItsNodeIsGone() {
    Owner owner = one.newOwner();
    granted(one.acquire(lock, owner, Claim.EXCLUSIVE, LONG, true));
    eventually()
        .until(
            () -> {
              nodes.deleteAll("/holdfast/" + key);
              return one.signals.contains("lost " + owner.tenureId());
            });
  }

  @Test
  void someOfThePermitsCanBeReleased() {
    Owner holder = one.newOwner();
    granted(one.acquire(semaphore, holder, Claim.permits(3, 3), LONG, true));
    Owner next = two.newOwner();
    assertThat(two.acquire(semaphore, next, Claim.permits(2, 3), LONG, true))
        .isInstanceOf(Busy.class);
    assertThat(one.renew(semaphore, holder, Claim.permits(1, 3), LONG))
        .isInstanceOf(RenewResult.Renewed.class);
    eventually().until(() -> two.signals.contains("changed " + next.tenureId()));
    granted(two.acquire(semaphore, next, Claim.permits(2, 3), LONG, true));
    LockSnapshot snapshot = BackendBench.get(two.backend.inspect(semaphore));
    assertThat(snapshot.holders()).extracting(LockSnapshot.Holder::amount).containsExactly(1, 2);
    one.release(semaphore, holder);
    two.release(semaphore, next);
    eventually().until(() -> line().isEmpty());
  }

  @Test
  void aReaderThatOvertakesIsSeenByTheWriterAndGetsTheSmallerToken() {
    Owner reader = one.newOwner();
    Owner writer = two.newOwner();
    Owner overtaker = one.newOwner();
    granted(one.acquire(readWrite, reader, Claim.READ, LONG, true));
    assertThat(two.acquire(readWrite, writer, Claim.WRITE, LONG, true)).isInstanceOf(Busy.class);
    Granted overtaking = granted(one.acquire(readWrite, overtaker, Claim.READ_FIRST, LONG, true));
    one.release(readWrite, reader);
    eventually().until(() -> two.signals.contains("changed " + writer.tenureId()));
    assertThat(two.acquire(readWrite, writer, Claim.WRITE, LONG, true)).isInstanceOf(Busy.class);
    LockSnapshot snapshot = BackendBench.get(two.backend.inspect(readWrite));
    assertThat(snapshot.holders())
        .extracting(LockSnapshot.Holder::owner)
        .containsExactly(overtaker);
    assertThat(snapshot.waiters()).extracting(LockSnapshot.Waiter::owner).containsExactly(writer);
    // a second attempt still grants: the writer waits for the reader
    granted(one.acquire(readWrite, overtaker, Claim.READ_FIRST, LONG, true));
    one.release(readWrite, overtaker);
    Granted writing =
        (Granted)
            eventually()
                .until(
                    () -> two.acquire(readWrite, writer, Claim.WRITE, LONG, true),
                    result -> result instanceof Granted);
    assertThat(writing.tokens().first()).isGreaterThan(overtaking.tokens().last());
  }

  @Test
  void loweringALimitMakesNoWaitersOfHolders() {
    Owner first = one.newOwner();
    Owner second = one.newOwner();
    Owner third = two.newOwner();
    granted(one.acquire(semaphore, first, Claim.permits(1, 2), LONG, true));
    granted(one.acquire(semaphore, second, Claim.permits(1, 2), LONG, true));
    BackendBench.get(one.backend.setLimit(semaphore, 2, 1));
    assertThat(BackendBench.get(two.backend.inspect(semaphore)).holders()).hasSize(2);
    assertThat(two.acquire(semaphore, third, Claim.permits(1, 2), LONG, true))
        .isInstanceOf(Busy.class);
    one.release(semaphore, first);
    eventually().until(() -> two.signals.contains("changed " + third.tenureId()));
    assertThat(two.acquire(semaphore, third, Claim.permits(1, 2), LONG, true))
        .isInstanceOf(Busy.class);
    one.release(semaphore, second);
    eventually()
        .until(
            () ->
                two.acquire(semaphore, third, Claim.permits(1, 2), LONG, true) instanceof Granted);
    BackendBench.get(one.backend.setLimit(semaphore, 2, 2));
    two.release(semaphore, third);
    eventually().until(() -> line().isEmpty());
  }

  @Test
  void aKeyOfAnotherKindIsRefusedForEverything() {
    granted(one.acquire(lock, one.newOwner(), Claim.EXCLUSIVE, LONG, true));
    Resource latch = new Resource(Resource.Kind.LATCH, key);
    assertThatThrownBy(() -> BackendBench.get(two.backend.trySetCount(latch, 1)))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("in use as a lock");
    assertThatThrownBy(() -> two.acquire(latch, two.newOwner(), Claim.PASS, LONG, true))
        .isInstanceOf(BackendException.class);
    assertThatThrownBy(() -> two.acquire(readWrite, two.newOwner(), Claim.READ, LONG, true))
        .isInstanceOf(BackendException.class);
    assertThatThrownBy(() -> BackendBench.get(two.backend.inspect(semaphore)))
        .isInstanceOf(BackendException.class);
    assertThatThrownBy(() -> BackendBench.get(two.backend.setLimit(semaphore, 2, 1)))
        .isInstanceOf(BackendException.class);
    assertThat(line()).hasSize(1);
  }
}
