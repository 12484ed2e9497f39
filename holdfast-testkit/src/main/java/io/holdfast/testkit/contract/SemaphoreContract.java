package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.LockManagerClosedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreException;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What every engine owes the semaphore. */
public abstract class SemaphoreContract extends EngineContract implements SemaphoreLimitContract {

  /** For subclasses. */
  protected SemaphoreContract() {}

  private DistributedSemaphore semaphore(int permits) {
    return manager().getSemaphore(key(), permits);
  }

  private DistributedSemaphore elsewhere(int permits) {
    return otherManager().getSemaphore(key(), permits);
  }

  /** In the store and, behind one of those, in the process of this object. */
  private static int waiters(DistributedSemaphore semaphore) {
    LockInfo info = semaphore.info();
    return info.waiters().size() + info.localWaiters();
  }

  @Test
  void codeRunsWhileItHasPermitsAndSaysWhoHasThemWhenThereAreTooFew() throws Exception {
    DistributedSemaphore semaphore = semaphore(3);
    int free = semaphore.permits(2).waitUpTo(PATIENCE).call(semaphore::availablePermits);
    assertThat(free).isEqualTo(1);
    assertThat(semaphore.availablePermits()).isEqualTo(3);

    Lease all = elsewhere(3).permits(3).leaseFor(Duration.ofMinutes(1)).acquire();
    assertThat(semaphore.tryAcquire(Duration.ofMillis(50))).isEmpty();
    assertThat(semaphore.tryRun(() -> {})).isFalse();
    assertThatThrownBy(() -> semaphore.permits(2).waitUpTo(Duration.ofMillis(50)).run(() -> {}))
        .isInstanceOfSatisfying(
            LockTimeoutException.class, e -> assertThat(e.key()).isEqualTo(key()))
        .hasMessageContaining("3 permits")
        .hasMessageContaining("gave up after 50 ms");
    CompletableFuture<Long> token =
        semaphore.callAsync(permit -> CompletableFuture.completedFuture(permit.token()));
    all.close();
    assertThat(OtherThread.get(token)).isGreaterThan(all.token());
    assertThat(OtherThread.get(semaphore.permits(3).acquireAsync())).satisfies(Lease::close);
  }

  @Test
  void permitsAreSharedAmongProcessesAndComeBackWhenTheirHandlesAreClosed() {
    DistributedSemaphore semaphore = semaphore(3);
    Lease one = semaphore.acquire();
    Lease two = elsewhere(3).acquire(2);
    assertThat(semaphore.availablePermits()).isZero();
    assertThat(semaphore.tryAcquire()).isEmpty();
    assertThat(elsewhere(3).tryAcquire()).isEmpty();
    two.close();
    assertThat(semaphore.availablePermits()).isEqualTo(2);
    Lease again = semaphore.tryAcquire(2).orElseThrow();
    one.close();
    again.close();
    again.close();
    assertThat(semaphore.availablePermits()).isEqualTo(3);
    assertThat(semaphore.permits()).isEqualTo(3);
  }

  @Test
  void severalPermitsAreGrantedTogetherOrNotAtAll() throws Exception {
    DistributedSemaphore semaphore = semaphore(3);
    Lease one = semaphore.acquire();
    assertThat(elsewhere(3).tryAcquire(3)).isEmpty();
    assertThat(elsewhere(3).tryAcquire(3, Duration.ofMillis(50))).isEmpty();
    eventually().until(() -> semaphore.info().waiters().isEmpty());
    assertThat(semaphore.availablePermits()).isEqualTo(2);
    one.close();
    elsewhere(3).acquire(3).close();
  }

  @Test
  void aWaiterGetsItsPermitsWhenTheyComeFreeInAnotherProcess() {
    Lease all = elsewhere(2).acquire(2);
    OtherThread other = otherThread();
    Future<Lease> waiting = other.start(() -> semaphore(2).acquire(2));
    eventually().until(() -> elsewhere(2).info().waiters().size() == 1);
    assertThat(waiting).isNotDone();
    all.close();
    Lease lease = OtherThread.get(waiting);
    assertThat(lease.isValid()).isTrue();
    assertThat(elsewhere(2).tryAcquire()).isEmpty();
    lease.close();
  }

  @Test
  void oneReleaseOfAFairOneServesAllWhoFitInTheOrderInWhichTheyCame() {
    LockConfig fair = LockConfig.builder().lockKey(key()).fair(true).build();
    DistributedSemaphore semaphore = manager().getSemaphore(fair, 4);
    DistributedSemaphore elsewhere = otherManager().getSemaphore(fair, 4);
    Lease all = semaphore.acquire(4);
    List<String> order = new CopyOnWriteArrayList<>();
    CompletableFuture<Lease> three = waiting(elsewhere.acquireAsync(3), "three", order, 1);
    CompletableFuture<Lease> two = waiting(semaphore.acquireAsync(2), "two", order, 2);
    CompletableFuture<Lease> one = waiting(elsewhere.acquireAsync(1), "one", order, 3);
    all.close();
    Lease first = OtherThread.get(three);
    // one permit is left, but two came before one and must not be overtaken
    assertThat(two).isNotDone();
    assertThat(one).isNotDone();
    first.close();
    OtherThread.get(two).close();
    OtherThread.get(one).close();
    assertThat(order.get(0)).isEqualTo("three");
    assertThat(order).containsExactlyInAnyOrder("three", "two", "one");
  }

  private CompletableFuture<Lease> waiting(
      CompletableFuture<Lease> future, String name, List<String> order, int inQueue) {
    eventually().until(() -> semaphore(4).info().waiters().size() == inQueue);
    return future.whenComplete((lease, fault) -> order.add(name));
  }

  @Test
  void neverMoreThanTheLimitAreInsideAtOnce() {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger turns = new AtomicInteger();
    List<Future<Boolean>> all = new ArrayList<>();
    long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
    for (LockManager manager : List.of(manager(), otherManager(), anotherManager())) {
      for (int thread = 0; thread < 3; thread++) {
        DistributedSemaphore semaphore = manager.getSemaphore(key(), 4);
        all.add(
            otherThread()
                .startRun(
                    () -> {
                      while (System.nanoTime() - end < 0 || turns.get() <= 100 || most.get() < 2) {
                        try (Lease lease = semaphore.acquire()) {
                          most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                          assertThat(lease.isValid()).isTrue();
                          LockSupport.parkNanos(500_000); // so that several are inside at a time
                          turns.incrementAndGet();
                          inside.decrementAndGet();
                        }
                      }
                    }));
      }
    }
    all.forEach(OtherThread::get);
    assertThat(most.get()).isLessThanOrEqualTo(4);
  }

  @Test
  void waitersThatGiveUpLeaveNothingBehind() throws Exception {
    Lease all = elsewhere(2).acquire(2);
    assertThat(semaphore(2).tryAcquire(1, Duration.ofMillis(50))).isEmpty();
    CompletableFuture<Lease> cancelled = semaphore(2).acquireAsync(1);
    OtherThread other = otherThread();
    Future<Lease> interrupted = other.start(() -> semaphore(2).acquireInterruptibly(1));
    eventually().until(() -> waiters(semaphore(2)) == 2);
    cancelled.cancel(false);
    other.interrupt();
    assertThatThrownBy(() -> OtherThread.get(interrupted))
        .hasCauseInstanceOf(InterruptedException.class);
    CompletableFuture<Lease> late =
        semaphore(2).permits(1).waitUpTo(Duration.ofMillis(50)).acquireAsync();
    assertThatThrownBy(() -> OtherThread.get(late)).isInstanceOf(LockTimeoutException.class);
    eventually().until(() -> elsewhere(2).info().waiters().isEmpty());
    all.close();
    assertThat(semaphore(2).availablePermits()).isEqualTo(2);
  }

  @Test
  void aThreadThatIsInterruptedAlreadyGetsNoPermitsFromACallThatCanBeInterrupted() {
    List<OtherThread.Action> calls =
        List.of(
            () -> semaphore(2).acquireInterruptibly(1),
            () -> semaphore(2).tryAcquire(1, PATIENCE),
            () -> semaphore(2).tryAcquire(1, Duration.ZERO),
            () -> semaphore(2).permits(1).waitUpTo(PATIENCE).leaseFor(LONG_LEASE).tryAcquire());
    for (OtherThread.Action call : calls) {
      Future<Boolean> interrupted =
          otherThread()
              .startRun(
                  () -> {
                    Thread.currentThread().interrupt();
                    call.run();
                  });
      assertThatThrownBy(() -> OtherThread.get(interrupted))
          .hasCauseInstanceOf(InterruptedException.class);
    }
    assertThat(semaphore(2).availablePermits()).isEqualTo(2);
  }

  @Test
  void cancellingAtTheMomentOfTheGrantGivesThePermitBack() {
    for (int i = 0; i < 30; i++) {
      Lease held = elsewhere(1).acquire();
      CompletableFuture<Lease> coming = semaphore(1).acquireAsync(1);
      eventually().until(() -> elsewhere(1).info().waiters().size() == 1);
      held.close();
      coming.cancel(false);
      if (!coming.isCancelled()) {
        coming.join().close();
      }
    }
    eventually().until(() -> elsewhere(1).availablePermits() == 1);
  }

  @Test
  void permitsOfACrashedHolderComeBackWhileOthersGoOnRenewing() throws InterruptedException {
    LockConfig quick = quick();
    Lease renewed = manager().getSemaphore(quick, 2).acquire();
    Lease crashed = manager().getSemaphore(quick, 2).permits(1).leaseFor(SHORT_LEASE).acquire();
    Lease next = otherManager().getSemaphore(quick, 2).acquire(); // when the lease has ended
    assertThat(next.token()).isGreaterThan(crashed.token());
    assertThat(crashed.isValid()).isFalse();
    assertThat(renewed.isValid()).isTrue();
    assertThatThrownBy(crashed::close).isInstanceOf(LockLostException.class);
    renewed.close();
    next.close();
  }

  @Test
  void aHolderIsToldWhenItsPermitsAreGone() throws Exception {
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    LockConfig ending =
        quick().toBuilder().leaseTime(ENDING_LEASE).build(); // some keys of a pool stay until then
    DistributedSemaphore semaphore = manager().getSemaphore(ending, 2);
    semaphore.onLost(losses::add);
    Lease lease = semaphore.acquire(2).onLost(losses::add);
    store().removeByHand(key());
    assertThat(losses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    assertThat(losses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    assertThat(lease.isValid()).isFalse();
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
  }

  @Test
  void forcingItOpenTellsEveryHolder() {
    Lease mine = semaphore(2).acquire();
    Lease theirs = elsewhere(2).acquire();
    assertThat(elsewhere(2).forceRelease()).isTrue();
    eventually().until(() -> !mine.isValid() && !theirs.isValid());
    assertThat(elsewhere(2).availablePermits()).isEqualTo(2);
    assertThat(elsewhere(2).forceRelease()).isFalse();
  }

  @Test
  void theNumberOfPermitsCanBeChangedWhileItIsUsed() {
    DistributedSemaphore semaphore = semaphore(1);
    Lease one = semaphore.acquire();
    CompletableFuture<Lease> waiting = elsewhere(1).acquireAsync(1);
    eventually().until(() -> semaphore.info().waiters().size() == 1);
    semaphore.setPermits(2);
    Lease two = OtherThread.get(waiting);
    assertThat(elsewhere(1).permits()).isEqualTo(2);
    semaphore.setPermits(1);
    assertThat(semaphore.availablePermits()).isEqualTo(-1);
    one.close();
    assertThat(semaphore.tryAcquire()).isEmpty();
    two.close();
    assertThat(semaphore.availablePermits()).isEqualTo(1);
  }

  @Test
  void aChangedNumberIsRememberedWhileNobodyHoldsPermits() {
    semaphore(1).setPermits(3);
    Lease first = elsewhere(1).acquire();
    Lease second = elsewhere(1).acquire();
    first.close();
    second.close();
    assertThat(semaphore(1).permits()).isEqualTo(3);
    semaphore(1).setPermits(1);
    assertThat(elsewhere(1).permits()).isEqualTo(1);
  }

  @Test
  void tokensGrowFromGrantToGrant() {
    List<Long> tokens = new ArrayList<>();
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      leases.add(semaphore(10).acquire());
      leases.add(elsewhere(10).acquire());
    }
    leases.forEach(lease -> tokens.add(lease.token()));
    leases.forEach(Lease::close);
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void infoTellsWhoHoldsHowMuchAndWhoWaits() {
    Lease mine = semaphore(3).acquire(2);
    Lease theirs = elsewhere(3).acquire();
    CompletableFuture<Lease> waiting = semaphore(3).acquireAsync(3);
    eventually().until(() -> elsewhere(3).info().waiters().size() == 1);
    LockInfo info = elsewhere(3).info();
    assertThat(info.holders())
        .extracting(LockInfo.Holder::application)
        .containsExactlyInAnyOrder("first", "second");
    assertThat(info.holders())
        .extracting(LockInfo.Holder::claim)
        .containsExactlyInAnyOrder("2 permits", "1 permit");
    assertThat(info.holders()).allMatch(h -> h.remaining().compareTo(Duration.ZERO) > 0);
    assertThat(info.waiters().get(0).claim()).isEqualTo("3 permits");
    waiting.cancel(false);
    mine.close();
    theirs.close();
  }

  @Test
  void eventsTellOfPermits() {
    List<LockEvent.Kind> kinds = new CopyOnWriteArrayList<>();
    manager().addListener(event -> kinds.add(event.kind()));
    semaphore(1).acquire().close();
    eventually()
        .untilAsserted(
            () ->
                assertThat(kinds)
                    .containsExactly(LockEvent.Kind.ACQUIRED, LockEvent.Kind.RELEASED));
  }

  @Test
  void closingAManagerGivesItsPermitsBackAndEndsItsWaiters() {
    LockManager closing = store().newManager().build();
    Lease held = closing.getSemaphore(key(), 1).acquire();
    CompletableFuture<Lease> waiting = closing.getSemaphore(key(), 1).acquireAsync(1);
    eventually().until(() -> semaphore(1).info().waiters().size() == 1);
    closing.close();
    assertThat(held.isValid()).isFalse();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .isInstanceOf(LockManagerClosedException.class);
    semaphore(1).acquire().close();
  }

  @Test
  void badNumbersAreRefusedAndChangeNothing() {
    for (int bad : new int[] {0, -1}) {
      assertThatThrownBy(() -> manager().getSemaphore(key(), bad))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> semaphore(2).acquire(bad))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> semaphore(2).setPermits(bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(semaphore(2).availablePermits()).isEqualTo(2);
  }

  @Test
  void differentNumbersInTwoProcessesAreAnError() {
    Lease held = semaphore(2).acquire();
    assertThatThrownBy(() -> elsewhere(3).acquire())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("2 permits")
        .hasMessageContaining("same number");
    assertThat(semaphore(2).availablePermits()).isEqualTo(1);
    held.close();
  }

  @Test
  void aKeyThatIsALockCannotBeASemaphoreAsWell() {
    manager().getLock(key()).lock();
    assertThatThrownBy(() -> elsewhere(2).acquire())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("lock");
    manager().getLock(key()).unlock();
    Lease permit = semaphore(2).acquire();
    assertThatThrownBy(() -> otherManager().getLock(key()).tryLock())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("semaphore");
    permit.close();
  }

  // ---- permits that are passed on inside a process

  /** Threads of the first process that take and give back permits until they are told to stop. */
  private List<Future<Boolean>> busyThreads(
      int number, int permits, AtomicBoolean stop, Consumer<Lease> inside) {
    return busyThreads(semaphore(permits), number, stop, inside);
  }

  private List<Future<Boolean>> busyThreads(
      DistributedSemaphore semaphore, int number, AtomicBoolean stop, Consumer<Lease> inside) {
    List<Future<Boolean>> threads = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      threads.add(
          otherThread()
              .startRun(
                  () -> {
                    while (!stop.get()) {
                      try (Lease lease = semaphore.acquire()) {
                        inside.accept(lease);
                      }
                    }
                  }));
    }
    return threads;
  }

  private AtomicInteger handoffs() {
    AtomicInteger handoffs = new AtomicInteger();
    manager()
        .addListener(
            event -> {
              if (event.detail().equals("handed on")) {
                handoffs.incrementAndGet();
              }
            });
    return handoffs;
  }

  @Test
  void threadsPassAPermitOnWithGrowingTokens() {
    AtomicInteger handoffs = handoffs();
    AtomicBoolean stop = new AtomicBoolean();
    List<Long> tokens = new CopyOnWriteArrayList<>();
    List<Future<Boolean>> threads =
        busyThreads(
            4,
            1,
            stop,
            lease -> {
              tokens.add(lease.token());
              LockSupport.parkNanos(100_000); // so that others come to wait
              stop.compareAndSet(false, tokens.size() >= 200);
            });
    threads.forEach(OtherThread::get);
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
    eventually().until(() -> handoffs.get() > 0);
    eventually().until(() -> elsewhere(1).availablePermits() == 1 && waiters(semaphore(1)) == 0);
  }

  @Test
  void neverMoreThanTheLimitAreInsideWhenThreadsPassPermitsOn() {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Set<Long> tokens = ConcurrentHashMap.newKeySet();
    AtomicInteger turns = new AtomicInteger();
    List<Future<Boolean>> threads =
        busyThreads(
            6,
            2,
            stop,
            lease -> {
              most.accumulateAndGet(inside.incrementAndGet(), Math::max);
              tokens.add(lease.token());
              LockSupport.parkNanos(200_000);
              inside.decrementAndGet();
              stop.compareAndSet(false, turns.incrementAndGet() >= 200 && most.get() >= 2);
            });
    threads.forEach(OtherThread::get);
    assertThat(most.get()).isEqualTo(2);
    assertThat(tokens).as("each has its own").hasSize(turns.get());
    eventually().until(() -> elsewhere(2).availablePermits() == 2);
  }

  @Test
  void anotherProcessIsServedSoonWhileThreadsPassPermitsOn() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    List<Future<Boolean>> threads =
        busyThreads(4, 2, stop, lease -> LockSupport.parkNanos(5_000_000));
    try {
      eventually().until(() -> waiters(semaphore(2)) > 0);
      for (int i = 0; i < 5; i++) {
        Lease lease = elsewhere(2).tryAcquire(1, PATIENCE).orElseThrow();
        lease.close();
      }
    } finally {
      stop.set(true);
    }
    threads.forEach(OtherThread::get);
    eventually().until(() -> elsewhere(2).availablePermits() == 2);
  }

  @Test
  void whoWantsAllPermitsIsNotStarvedByThoseWhoPassOnOne() {
    AtomicBoolean stop = new AtomicBoolean();
    List<Future<Boolean>> threads =
        busyThreads(4, 2, stop, lease -> LockSupport.parkNanos(100_000));
    try {
      OtherThread.get(otherThread().start(() -> semaphore(2).acquire(2))).close();
      OtherThread.get(
              otherThread()
                  .start(() -> semaphore(2).permits(1).leaseFor(Duration.ofMinutes(1)).acquire()))
          .close();
    } finally {
      stop.set(true);
    }
    threads.forEach(OtherThread::get);
    eventually().until(() -> elsewhere(2).availablePermits() == 2);
  }

  @Test
  void aThreadThatIsPassedMoreThanItWantsGivesTheRestBack() {
    Lease three = semaphore(3).acquire(3);
    CompletableFuture<Lease> one = semaphore(3).acquireAsync(1);
    eventually().until(() -> waiters(semaphore(3)) == 1);
    three.close();
    Lease lease = OtherThread.get(one);
    assertThat(lease.token()).isGreaterThan(three.token());
    eventually().until(() -> elsewhere(3).availablePermits() == 2);
    eventually().until(() -> waiters(semaphore(3)) == 0);
    lease.close();
    eventually().until(() -> elsewhere(3).availablePermits() == 3);
  }

  @Test
  void whenThereAreFewerPermitsThreadsDoNotGoOnPassingOnTheOldNumber() {
    AtomicBoolean stop = new AtomicBoolean();
    LockConfig seldomRenewed =
        LockConfig.builder().lockKey(key()).leaseTime(PATIENCE.multipliedBy(10)).build();
    List<Future<Boolean>> threads =
        busyThreads(
            manager().getSemaphore(seldomRenewed, 3),
            6,
            stop,
            lease -> LockSupport.parkNanos(5_000_000));
    try {
      eventually().until(() -> elsewhere(3).info().holders().size() == 3);
      elsewhere(3).setPermits(1);
      eventually().until(() -> elsewhere(3).availablePermits() == 0);
    } finally {
      stop.set(true);
    }
    threads.forEach(OtherThread::get);
    elsewhere(3).setPermits(3);
  }

  @Test
  void aWaiterThatLeavesWhenItIsPassedAPermitPassesItOn() {
    OtherThread closer = otherThread();
    for (int i = 0; i < 30; i++) {
      Lease held = semaphore(1).acquire();
      CompletableFuture<Lease> leaving = semaphore(1).acquireAsync(1);
      CompletableFuture<Lease> behind = semaphore(1).acquireAsync(1);
      eventually().until(() -> waiters(semaphore(1)) == 2);
      Future<Boolean> closing = closer.startRun(held::close);
      leaving.cancel(false);
      if (!leaving.isCancelled()) {
        leaving.join().close();
      }
      OtherThread.get(behind).close();
      OtherThread.get(closing);
    }
    eventually().until(() -> elsewhere(1).availablePermits() == 1);
    assertThat(waiters(semaphore(1))).isZero();
  }

  @Test
  void whoeverWasPassedAPermitIsToldWhenItIsGone() {
    DistributedSemaphore semaphore = manager().getSemaphore(quick(), 1);
    Lease first = semaphore.acquire();
    CompletableFuture<Lease> second = semaphore.acquireAsync(1);
    eventually().until(() -> waiters(semaphore) == 1);
    first.close();
    Lease passedOn = OtherThread.get(second);
    store().removeByHand(key());
    eventually().until(() -> !passedOn.isValid());
    assertThatThrownBy(passedOn::close).isInstanceOf(LockLostException.class);
    semaphore.acquire().close();
  }

  @Test
  void closingAManagerEndsThoseWhoWaitBehindOthers() {
    LockManager closing = store().newManager().build();
    Lease held = closing.getSemaphore(key(), 1).acquire();
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(closing.getSemaphore(key(), 1).acquireAsync(1));
    }
    eventually().until(() -> waiters(closing.getSemaphore(key(), 1)) == 3);
    closing.close();
    assertThat(held.isValid()).isFalse();
    for (CompletableFuture<Lease> each : waiting) {
      assertThatThrownBy(() -> OtherThread.get(each))
          .isInstanceOf(LockManagerClosedException.class);
    }
    semaphore(1).acquire().close();
  }
}
