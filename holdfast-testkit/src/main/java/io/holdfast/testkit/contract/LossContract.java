package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Acquirable;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.LockManagerClosedException;
import io.holdfast.LossReason;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Renewal, leases that end, and what a holder hears when it holds no more. */
interface LossContract extends ContractFixture {

  @Test
  default void aLockWithoutALeaseOfItsOwnIsRenewedForAsLongAsItIsHeld() throws Exception {
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    manager().addListener(events::add);
    DistributedLock lock = quickLock(manager());
    lock.lock();
    long start = System.nanoTime();
    eventually().until(() -> tokensOf(LockEvent.Kind.RENEWED, events).size() >= 4);
    eventually()
        .until(
            () -> { // as much is left as only a renewal in the store explains
              Duration held = Duration.ofNanos(System.nanoTime() - start);
              Duration left = sameLockElsewhere().remainingLease();
              return left.plus(held).minusMillis(100).compareTo(quick().leaseTime()) > 0;
            });
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(sameLockElsewhere().tryLock()).isFalse();
    lock.unlock();
    assertThat(sameLockElsewhere().tryLock()).isTrue();
    sameLockElsewhere().unlock();
  }

  private static List<Long> tokensOf(LockEvent.Kind kind, List<LockEvent> events) {
    return events.stream().filter(event -> event.kind() == kind).map(LockEvent::token).toList();
  }

  @Test
  default void aLeaseOfItsOwnIsNeverRenewedAndTheHolderIsToldWhenItEnds() throws Exception {
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    manager().addListener(events::add);
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    DistributedLock lock = lock();
    try (Acquirable.Subscription subscription = lock.onLost(losses::add)) {
      assertThat(subscription).isNotNull();
      lock.lock(SHORT_LEASE.toMillis(), TimeUnit.MILLISECONDS);
      LockLoss loss = losses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(loss).isNotNull();
      assertThat(loss.reason()).isEqualTo(LossReason.LEASE_EXPIRED);
      assertThat(loss.key()).isEqualTo(key());
      eventually()
          .until(() -> tokensOf(LockEvent.Kind.ACQUIRED, events).equals(List.of(loss.token())));
    }
    assertThat(tokensOf(LockEvent.Kind.RENEWED, events)).isEmpty();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(lock.getHoldCount()).isZero();
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(LockLostException.class)
        .hasMessageContaining("lease ran out");
    assertThatThrownBy(lock::unlock).isExactlyInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  default void unlockingIsSafeBehindTheQuestionWhetherTheLockIsHeld() {
    DistributedLock lock = lock();
    lock.lock(SHORT_LEASE.toMillis(), TimeUnit.MILLISECONDS);
    eventually().until(() -> !lock.isHeldByCurrentThread());
    if (lock.isHeldByCurrentThread()) {
      lock.unlock();
    }
    // and the process itself is not stuck: other threads and this one get the lock again
    OtherThread other = otherThread();
    other.run(lock::lock);
    other.run(lock::unlock);
    lock.lock();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    lock.unlock();
  }

  @Test
  default void everyUnlockOfALostReentrantLockSaysThatItWasLost() {
    DistributedLock lock = quickLock(manager());
    lock.lock();
    lock.lock();
    store().removeByHand(key());
    eventually().until(() -> !lock.isHeldByCurrentThread());
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(lock::unlock).isExactlyInstanceOf(IllegalMonitorStateException.class);
  }

  /**
   * That the callback comes first as well is shown where the test moves the clock; here the threads
   * that call back may have to wait for a processor.
   */
  @Test
  default void theHolderStopsBelievingBeforeAnotherIsGranted() throws InterruptedException {
    for (int round = 0; round < 3; round++) {
      AtomicBoolean told = new AtomicBoolean();
      Lease lease = lock().leaseFor(SHORT_LEASE).acquire().onLost(loss -> told.set(true));
      OtherThread other = otherThread();
      other.run(
          () -> {
            try (Lease granted = sameLockElsewhere().acquire()) {
              assertThat(lease.isValid()).as("the former holder still believes").isFalse();
              assertThat(granted.isValid()).isTrue();
            }
          });
      eventually().untilTrue(told);
      assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
    }
  }

  @Test
  default void aLockRemovedByHandIsReportedAtTheNextRenewal() throws Exception {
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    Lease lease = quickLock(manager()).acquire().onLost(losses::add);
    store().removeByHand(key());
    LockLoss loss = losses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(loss).isNotNull();
    assertThat(loss.reason()).isEqualTo(LossReason.GONE_FROM_STORE);
    assertThat(lease.isValid()).isFalse();
    BlockingQueue<LockLoss> late = new LinkedBlockingQueue<>();
    lease.onLost(late::add);
    assertThat(late.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(loss);
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
  }

  @Test
  default void aLockRemovedByHandAndNotYetMissedIsReportedByUnlock() {
    DistributedLock lock = lock(); // renewed every ten seconds
    lock.lock();
    store().removeByHand(key());
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    lock.lock();
    lock.unlock();
  }

  @Test
  default void aHolderThatAskedForItIsInterruptedWhenTheLockIsLost() {
    LockConfig config = quick().toBuilder().interruptOnLoss(true).build();
    OtherThread other = otherThread();
    Future<Boolean> interrupted =
        other.start(
            () -> {
              manager().getLock(config).lock();
              try {
                TimeUnit.DAYS.sleep(1);
                return false;
              } catch (InterruptedException e) {
                return true;
              }
            });
    eventually().until(() -> sameLockElsewhere().isLocked());
    store().removeByHand(key());
    assertThat(OtherThread.get(interrupted)).isTrue();
  }

  @Test
  default void forcingALockOpenTellsItsHolderAndServesTheNext() throws Exception {
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    Lease lease = quickLock(manager()).acquire().onLost(losses::add);
    assertThat(sameLockElsewhere().forceUnlock()).isTrue();
    assertThat(losses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    assertThat(lease.isValid()).isFalse();
    assertThat(sameLockElsewhere().tryLock()).isTrue();
    sameLockElsewhere().unlock();
    assertThat(sameLockElsewhere().forceUnlock()).isFalse();
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
  }

  @Test
  default void forcingALockOpenInTheHoldersOwnProcessIsSeenAtOnce() {
    lock().lock();
    assertThat(lock().forceUnlock()).isTrue();
    assertThat(lock().isHeldByCurrentThread()).isFalse();
    assertThatThrownBy(() -> lock().unlock()).isInstanceOf(LockLostException.class);
  }

  // ---- the failures of naive locks

  @Test
  default void aLockAlwaysHasALeaseSoThatACrashedHolderCannotBlockForEver() {
    lock().lock();
    assertThat(sameLockElsewhere().info().holder().orElseThrow().remaining()).isPositive();
    lock().unlock();
    lock().lock(25, TimeUnit.SECONDS);
    assertThat(sameLockElsewhere().info().holder().orElseThrow().remaining())
        .isBetween(Duration.ofMillis(1), Duration.ofSeconds(25));
    lock().unlock();
  }

  @Test
  default void aFormerHolderCannotReleaseTheLockOfThePresentOne() {
    lock().lock(SHORT_LEASE.toMillis(), TimeUnit.MILLISECONDS);
    sameLockElsewhere().lock();
    assertThatThrownBy(() -> lock().unlock()).isInstanceOf(LockLostException.class);
    assertThat(sameLockElsewhere().isHeldByCurrentThread()).isTrue();
    assertThat(anotherManager().getLock(key()).tryLock()).isFalse();
    sameLockElsewhere().unlock();
  }

  @Test
  default void aFormerHolderCannotRenewTheLockOfThePresentOne() {
    DistributedLock former = quickLock(manager());
    former.lock();
    store().removeByHand(key());
    DistributedLock present = sameLockElsewhere();
    present.lock(SHORT_LEASE.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS);
    eventually().until(() -> !former.isHeldByCurrentThread());
    eventually().until(() -> !present.isHeldByCurrentThread());
    // its lease has ended although the former holder wanted to renew every 200 ms
    DistributedLock next = anotherManager().getLock(key());
    eventually().until(next::tryLock);
    next.unlock();
  }

  // ---- the end of a manager

  @Test
  default void closingAManagerGivesItsLocksBackAndTellsTheirHolders() throws Exception {
    LockManager closing = store().newManager().build();
    BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
    Lease lease = closing.getLock(key()).acquire().onLost(losses::add);
    closing.close();
    LockLoss loss = losses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(loss).isNotNull();
    assertThat(loss.reason()).isEqualTo(LossReason.MANAGER_CLOSED);
    assertThat(lease.isValid()).isFalse();
    assertFreedByClose(each -> each.getLock(key()));
    assertThatThrownBy(() -> closing.getLock(key())).isInstanceOf(LockManagerClosedException.class);
    closing.close();
  }

  @Test
  default void closingAManagerEndsEveryoneWhoWaitsInIt() {
    LockManager closing = store().newManager().build();
    DistributedLock lock = closing.getLock(key());
    sameLockElsewhere().lock();
    OtherThread first = otherThread();
    OtherThread second = otherThread();
    Future<Boolean> remote = first.startRun(lock::lock);
    eventually().until(() -> sameLockElsewhere().info().waiters().size() == 1);
    Future<Boolean> local = second.startRun(lock::lock);
    CompletableFuture<Lease> async = lock.acquireAsync();
    eventually().until(() -> lock.info().localWaiters() == 2);
    closing.close();
    assertThatThrownBy(() -> OtherThread.get(remote))
        .isInstanceOf(LockManagerClosedException.class);
    assertThatThrownBy(() -> OtherThread.get(local)).isInstanceOf(LockManagerClosedException.class);
    assertThatThrownBy(() -> OtherThread.get(async)).isInstanceOf(LockManagerClosedException.class);
    assertThat(sameLockElsewhere().info().waiters()).isEmpty();
    sameLockElsewhere().unlock();
  }
}
