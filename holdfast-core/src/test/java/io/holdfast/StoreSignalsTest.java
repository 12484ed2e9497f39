package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The SPI promises core little: a signal may come late or twice, and of two calls under way either
 * may reach the store first. Nothing but speed may depend on more.
 */
@Timeout(600)
class StoreSignalsTest {
  private final ManualTime time = new ManualTime();
  private final MemoryStore memory = new MemoryStore(time);
  private final WatchedStore store = new WatchedStore(memory);
  private final LockManager ours = manager(store);
  private final LockManager theirs = manager(new WatchedStore(memory));
  private final DistributedLock lock = ours.getLock("k");

  /** The answer to the one call that is held back. */
  private final CompletableFuture<Object> held = new CompletableFuture<>();

  private CompletableFuture<WatchedStore.Call> look = new CompletableFuture<>();

  private LockManager manager(WatchedStore engine) {
    return time.drive(LockManager.builder("memory:"))
        .engine(engine)
        .callbackExecutor(Runnable::run)
        .build();
  }

  @AfterEach
  void close() {
    List.of("acquire", "renew", "release").forEach(store::answerNormally);
    ours.close();
    theirs.close();
  }

  @Test
  void aGrantThatIsSignalledTwiceGivesNoTokenTwice() {
    Lease before = theirs.getLock("k").acquire();
    CompletableFuture<Lease> first = lock.acquireAsync();
    before.close(); // the store grants to us on its own
    Lease granted = first.join();
    assertThat(store.signals("granted")).hasSize(1);
    CompletableFuture<WatchedStore.Call> heldBack = holdBack("acquire");
    CompletableFuture<Lease> second =
        lock.waitUpTo(Duration.ofHours(1)).leaseFor(Duration.ofSeconds(20)).acquireAsync();

    CompletableFuture<?> closed = granted.closeAsync(); // the next one wants another lease
    store.signals("granted").get(0).proceed();
    if (heldBack.isDone()) {
      letGo("acquire", heldBack);
    }

    try (Lease lease = second.join()) {
      assertThat(lease.token()).isGreaterThan(granted.token());
    }
    assertThat(closed).succeedsWithin(Duration.ofMinutes(2));
  }

  @Test
  void aRenewalThatArrivesLateDoesNotShortenTheNextLease() {
    LockConfig shortLease =
        LockConfig.builder().lockKey("k").leaseTime(Duration.ofSeconds(1)).build();
    Lease first = ours.getLock(shortLease).acquire();
    CompletableFuture<Lease> second = lock.acquireAsync(); // with a lease of 30 s
    CompletableFuture<WatchedStore.Call> renewal = holdBack("renew");
    time.advance(Duration.ofMillis(400));
    assertThat(renewal).as("a renewal is under way").isDone();

    first.close();
    boolean secondDidNotWaitForIt = second.isDone();
    letGo("renew", renewal); // only now it reaches the store
    Lease lease = second.join();
    time.advance(Duration.ofSeconds(3));

    boolean another = theirs.getLock("k").tryLock();
    assertThat(another && lease.isValid())
        .as("two holders; the second waited for the renewal: %s", !secondDidNotWaitForIt)
        .isFalse();
  }

  @Test
  void aWaiterElsewhereIsNotForgottenWhenARenewalIsAnsweredLate() {
    Lease first = lock.acquire();
    CompletableFuture<WatchedStore.Call> renewal = holdBack("renew");
    time.advance(Duration.ofSeconds(11));
    assertThat(renewal).as("a renewal is under way").isDone();
    Object answer = answerOf(renewal.join()); // the store answers: nobody waits
    CompletableFuture<Lease> waitingElsewhere = theirs.getLock("k").acquireAsync();
    assertThat(store.signals("contended")).hasSize(1); // and then says: somebody waits

    held.complete(answer); // now the answer of before arrives
    CompletableFuture<Lease> waitingHere = lock.acquireAsync();
    first.close();

    assertThat(waitingElsewhere).as("its turn: 10 ms of handing on are over").isDone();
    assertThat(waitingHere).isNotDone();
  }

  /**
   * A waiter looks by itself, and is told meanwhile that the lock is its own. Then somebody deletes
   * the lock, another gets it, and only now the question arrives in the store, which takes it for
   * the first one of somebody who begins to wait.
   */
  @Test
  void aGrantThatWasDeletedBeforeTheLookArrivedIsNotBelievedIn() {
    CompletableFuture<Lease> coming = grantedWhileItLooks();
    memory.remove("k");
    Lease other = theirs.getLock("k").acquire();
    letGo("acquire", look);
    assertThat(coming).as("the other holds it").isNotDone();

    other.close();

    assertThat(coming.join().token()).isGreaterThan(other.token());
    coming.join().close();
    assertThat(memory.size()).isZero();
  }

  /** The same when the other has given it back already: the look takes the lock anew. */
  @Test
  void aLookThatTakesADeletedLockAnewBringsTokensAboveThoseInBetween() {
    CompletableFuture<Lease> coming = grantedWhileItLooks();
    memory.remove("k");
    Lease other = theirs.getLock("k").acquire();
    other.close();

    letGo("acquire", look);

    assertThat(coming.join().token()).isGreaterThan(other.token());
    coming.join().close();
    assertThat(memory.size()).isZero();
  }

  /** A look that the store answered before the grant: its answer is overtaken by the signal. */
  @Test
  void aGrantThatOvertakesTheAnswerToALookIsConfirmedByOneMore() {
    Lease before = theirs.getLock("k").acquire();
    CompletableFuture<Lease> coming = lock.waitUpTo(Duration.ofSeconds(2)).acquireAsync();
    look = holdBack("acquire");
    time.advance(Duration.ofMillis(1500));
    Object busy = answerOf(look.join());
    before.close();
    time.advance(Duration.ofMillis(600)); // its time is over, but the lock is known to be its own
    held.complete(busy);

    coming.join().close();
    assertThat(memory.size()).isZero();
  }

  /** A first request that a grant has answered cannot arrive after it. */
  @Test
  void aGrantThatOvertakesTheAnswerToTheFirstRequestNeedsNoOther() {
    Lease before = theirs.getLock("k").acquire();
    look = holdBack("acquire");
    CompletableFuture<Lease> coming = lock.acquireAsync();
    Object busy = answerOf(look.join());

    before.close();

    assertThat(coming).isCompleted();
    held.complete(busy);
    coming.join().close();
    assertThat(memory.size()).isZero();
  }

  /** Ours is granted by a signal while its second request is still on its way to the store. */
  private CompletableFuture<Lease> grantedWhileItLooks() {
    Lease before = theirs.getLock("k").acquire();
    CompletableFuture<Lease> coming = lock.acquireAsync();
    look = holdBack("acquire");
    time.advance(Duration.ofMillis(1500));
    assertThat(look).as("a look is under way").isDone();
    before.close();
    assertThat(store.signals("granted")).hasSize(1);
    return coming;
  }

  /** The next call of this method stays on its way; all later ones go through. */
  private CompletableFuture<WatchedStore.Call> holdBack(String method) {
    CompletableFuture<WatchedStore.Call> caught = new CompletableFuture<>();
    store.answer(method, call -> caught.complete(call) ? held : call.proceed());
    return caught;
  }

  private void letGo(String method, CompletableFuture<WatchedStore.Call> caught) {
    store.answerNormally(method);
    held.complete(answerOf(caught.join()));
  }

  private static Object answerOf(WatchedStore.Call call) {
    return ((CompletableFuture<?>) Objects.requireNonNull(call.proceed())).join();
  }
}
