package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.LockTimeoutException;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every engine owes a lock over several keys. */
public abstract class MultiLockContract extends EngineContract {

  /** For subclasses. */
  protected MultiLockContract() {}

  private String a() {
    return key() + ":a";
  }

  private String b() {
    return key() + ":b";
  }

  private String c() {
    return key() + ":c";
  }

  private DistributedLock multi() {
    return manager().getMultiLock(c(), a(), b());
  }

  @Test
  void allKeysAreTakenAndGivenBackTogether() {
    DistributedLock multi = multi();
    multi.lock();
    assertThat(multi.isHeldByCurrentThread()).isTrue();
    assertThat(multi.isLocked()).isTrue();
    for (String key : List.of(a(), b(), c())) {
      assertThat(otherManager().getLock(key).tryLock()).isFalse();
      assertThat(manager().getLock(key).isHeldByCurrentThread()).isTrue();
    }
    assertThat(multi.fencingToken()).isPositive();
    assertThat(multi.info().holders()).hasSize(3);
    multi.unlock();
    for (String key : List.of(a(), b(), c())) {
      assertThat(otherManager().getLock(key).isLocked()).isFalse();
    }
  }

  @Test
  void oneBusyKeyMeansNone() throws Exception {
    otherManager().getLock(b()).lock();
    assertThat(multi().tryLock()).isFalse();
    assertThat(multi().tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(multi().tryAcquire()).isEmpty();
    assertThat(multi().tryAcquire(Duration.ofMillis(50))).isEmpty();
    CompletableFuture<Lease> async = multi().waitUpTo(Duration.ofMillis(50)).acquireAsync();
    assertThatThrownBy(() -> OtherThread.get(async)).isInstanceOf(LockTimeoutException.class);
    for (String key : List.of(a(), c())) {
      eventually().until(() -> !otherManager().getLock(key).isLocked());
    }
    assertThat(multi().isHeldByCurrentThread()).isFalse();
    otherManager().getLock(b()).unlock();
    multi().lock();
    multi().unlock();
  }

  @Test
  void aWaiterGetsAllWhenTheLastOneComesFree() {
    otherManager().getLock(b()).lock();
    OtherThread other = otherThread();
    Future<Boolean> waiting = other.startRun(() -> multi().lock());
    eventually().until(() -> otherManager().getLock(b()).info().waiters().size() == 1);
    otherManager().getLock(b()).unlock();
    OtherThread.get(waiting);
    assertThat(other.check(() -> multi().isHeldByCurrentThread())).isTrue();
    other.run(() -> multi().unlock());
  }

  @Test
  void callersWithTheSameKeysInAnyOrderNeverWaitForEachOther() {
    int[] counter = {0};
    List<Future<Boolean>> all = new ArrayList<>();
    List<LockManager> managers = List.of(manager(), otherManager(), anotherManager());
    for (int i = 0; i < 3; i++) {
      LockManager manager = managers.get(i);
      DistributedLock lock =
          switch (i) {
            case 0 -> manager.getMultiLock(a(), b(), c());
            case 1 -> manager.getMultiLock(c(), b(), a());
            default -> manager.getMultiLock(b(), c(), a());
          };
      for (int thread = 0; thread < 2; thread++) {
        all.add(
            otherThread()
                .startRun(
                    () -> {
                      for (int n = 0; n < 30; n++) {
                        lock.lock();
                        counter[0]++;
                        lock.unlock();
                      }
                    }));
      }
    }
    all.forEach(OtherThread::get);
    assertThat(counter[0]).isEqualTo(180);
  }

  @Test
  void itIsReentrantAndGoesTogetherWithItsParts() {
    multi().lock();
    multi().lock();
    manager().getLock(a()).lock();
    assertThat(multi().getHoldCount()).isEqualTo(2);
    multi().unlock();
    multi().unlock();
    assertThat(multi().isHeldByCurrentThread()).isFalse();
    assertThat(manager().getLock(a()).isHeldByCurrentThread()).isTrue();
    manager().getLock(a()).unlock();
  }

  @Test
  void anInterruptEndsTheWaitAndGivesBackWhatWasTaken() {
    otherManager().getLock(c()).lock();
    OtherThread other = otherThread();
    Future<Boolean> waiting = other.startRun(() -> multi().lockInterruptibly());
    eventually().until(() -> otherManager().getLock(c()).info().waiters().size() == 1);
    assertThat(otherManager().getLock(a()).isLocked()).isTrue();
    other.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
    eventually().until(() -> !otherManager().getLock(a()).isLocked());
    eventually().until(() -> otherManager().getLock(c()).info().waiters().isEmpty());
    otherManager().getLock(c()).unlock();
  }

  @Test
  void aCancelledFutureGivesBackWhatWasTaken() {
    otherManager().getLock(c()).lock();
    CompletableFuture<Lease> waiting = multi().acquireAsync();
    eventually().until(() -> otherManager().getLock(c()).info().waiters().size() == 1);
    waiting.cancel(false);
    eventually().until(() -> !otherManager().getLock(a()).isLocked());
    eventually().until(() -> otherManager().getLock(c()).info().waiters().isEmpty());
    otherManager().getLock(c()).unlock();
    Lease lease = OtherThread.get(multi().acquireAsync());
    assertThat(lease.isValid()).isTrue();
    lease.close();
  }

  @Test
  void theLossOfOnePartIsTheLossOfTheWholeAndToldOnce() throws Exception {
    LockConfig quick = quick();
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    DistributedLock multi = manager().getMultiLock(quick, List.of(a(), b(), c()));
    Lease lease = multi.acquire().onLost(losses::add);
    store().removeByHand(a());
    store().removeByHand(b());
    assertThat(losses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    assertThat(lease.isValid()).isFalse();
    assertThat(lease.remaining()).isZero();
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
    assertThat(losses).isEmpty();
    eventually().until(() -> !otherManager().getLock(c()).isLocked());
  }

  @Test
  void aListenerOfTheMultiLockHearsOfALossOnceHoweverManyPartsThereAre() throws Exception {
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    LockManager closing = anotherManager();
    DistributedLock multi = closing.getMultiLock(a(), b(), c());
    multi.onLost(losses::add);
    multi.lock();
    closing.close(); // every part is lost for a reason of its own
    assertThat(losses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    eventually().during(Duration.ofMillis(200)).until(losses::isEmpty);
  }

  @Test
  void unlockingAMultiLockWithALostPartGivesBackTheRestAndSaysSo() {
    LockConfig quick = quick();
    DistributedLock multi = manager().getMultiLock(quick, List.of(a(), b()));
    multi.lock();
    store().removeByHand(a());
    eventually().until(() -> !multi.isHeldByCurrentThread());
    assertThatThrownBy(multi::unlock).isInstanceOf(LockLostException.class);
    // the loss of the one may be giving back the other at this very moment, on another thread
    eventually().until(() -> !otherManager().getLock(b()).isLocked());
  }

  @Test
  void theOtherPartsOfAMultiLockThatWasLostAreGivenBackAtOnce() {
    DistributedLock multi = multi();
    multi.lock();
    otherManager().getLock(a()).forceUnlock();
    eventually().until(() -> !multi.isHeldByCurrentThread());
    if (multi.isHeldByCurrentThread()) {
      multi.unlock(); // as everybody writes it: not called here
    }
    for (String key : List.of(a(), b(), c())) {
      eventually().until(() -> !otherManager().getLock(key).isLocked());
    }
    assertThatThrownBy(multi::unlock).isInstanceOf(LockLostException.class);
    multi.lock();
    multi.unlock();
  }

  @Test
  void aPartThatEndedWhileTheNextWasWaitedForIsTakenAgain() throws Exception {
    List<LockEvent> acquired = new CopyOnWriteArrayList<>();
    manager()
        .addListener(
            event -> {
              if (event.kind() == LockEvent.Kind.ACQUIRED && event.key().equals(a())) {
                acquired.add(event);
              }
            });
    otherManager().getLock(c()).lock();
    OtherThread other = otherThread();
    Future<Boolean> waiting =
        other.start(
            () ->
                multi()
                    .tryLock(PATIENCE.toMillis(), ENDING_LEASE.toMillis(), TimeUnit.MILLISECONDS));
    eventually().until(() -> otherManager().getLock(c()).info().waiters().size() == 1);
    eventually().until(() -> !otherManager().getLock(a()).isLocked()); // its lease is over
    otherManager().getLock(c()).unlock();
    assertThat(OtherThread.get(waiting)).isTrue();
    eventually().until(() -> acquired.size() >= 2);
    other.run(this::unlockOrLose);
  }

  /** The lease of a thread that has to stop for too long may be over again. */
  private void unlockOrLose() {
    try {
      multi().unlock();
    } catch (LockLostException e) {
      assertThat(multi().isHeldByCurrentThread()).isFalse();
    }
  }

  @Test
  void aRollBackGoesOnWhenOnePartIsGone() {
    otherManager().getLock(c()).lock();
    OtherThread other = otherThread();
    Future<Boolean> waiting = other.startRun(() -> multi().lockInterruptibly());
    eventually().until(() -> otherManager().getLock(c()).info().waiters().size() == 1);
    store().removeByHand(b());
    other.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
    eventually().until(() -> !otherManager().getLock(a()).isLocked());
    otherManager().getLock(c()).unlock();
  }

  @Test
  void aLeaseOfItsOwnIsTheLeaseOfEveryPart() {
    multi().lock(25, TimeUnit.SECONDS);
    for (String key : List.of(a(), b(), c())) {
      assertThat(otherManager().getLock(key).remainingLease())
          .isBetween(Duration.ofMillis(1), Duration.ofSeconds(25));
    }
    multi().unlock();
  }

  @Test
  void unlockByAStrangerIsAnErrorAndChangesNothing() {
    manager().getLock(a()).lock(); // one part is not the whole
    assertThatThrownBy(() -> multi().unlock()).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(manager().getLock(a()).isHeldByCurrentThread()).isTrue();
    manager().getLock(a()).unlock();
  }

  @Test
  void listsOfKeysThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> manager().getMultiLock())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one key");
    assertThatThrownBy(() -> manager().getMultiLock(a(), b(), a()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("twice");
    assertThatThrownBy(() -> manager().getMultiLock(a(), " "))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aThreadThatIsInterruptedAlreadyGetsNothingFromACallThatCanBeInterrupted() {
    DistributedLock both = manager().getMultiLock(a(), b());
    var segmented = manager().getSegmentedLock(key(), 2);
    List<OtherThread.Action> calls =
        List.of(
            both::lockInterruptibly,
            () -> both.tryLock(1, TimeUnit.SECONDS),
            () -> both.tryLock(Duration.ZERO),
            both::acquireInterruptibly,
            () -> both.tryAcquire(PATIENCE),
            () -> segmented.tryAcquireAny(PATIENCE),
            () -> segmented.tryAcquireAny(Duration.ZERO));
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
    assertThat(both.isLocked()).isFalse();
    assertThat(segmented.segment(0).isLocked() || segmented.segment(1).isLocked()).isFalse();
  }

  // ---- segments of one resource

  @Test
  void segmentsAreLocksOfTheirOwnAndASubKeyAlwaysHasTheSame() {
    var segmented = manager().getSegmentedLock(key(), 4);
    var elsewhere = otherManager().getSegmentedLock(key(), 4);
    assertThat(segmented.size()).isEqualTo(4);
    for (String order : List.of("order-1", "order-2", "order-3")) {
      assertThat(elsewhere.forKey(order).key()).isEqualTo(segmented.forKey(order).key());
    }
    segmented.segment(0).lock();
    assertThat(elsewhere.segment(0).tryLock()).isFalse();
    assertThat(elsewhere.segment(1).tryLock()).isTrue();
    elsewhere.segment(1).unlock();
    segmented.segment(0).unlock();
  }

  @Test
  void anyFreeSegmentWillDo() throws Exception {
    var segmented = manager().getSegmentedLock(key(), 3);
    var elsewhere = otherManager().getSegmentedLock(key(), 3);
    Lease first = segmented.acquireAny();
    Lease second = elsewhere.acquireAny();
    Lease third = segmented.tryAcquireAny().orElseThrow();
    assertThat(List.of(first.key(), second.key(), third.key())).doesNotHaveDuplicates();
    assertThat(elsewhere.tryAcquireAny()).isEmpty();
    assertThat(elsewhere.tryAcquireAny(Duration.ofMillis(30))).isEmpty();
    first.close();
    second.close();
    third.close();
    elsewhere.acquireAny().close();
  }

  @Test
  void aNumberOfSegmentsThatMakesNoSenseIsRefused() {
    for (int bad : new int[] {0, -1, 10_001}) {
      assertThatThrownBy(() -> manager().getSegmentedLock(key(), bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
