package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.FencingGuard;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.StaleTokenException;
import io.holdfast.testkit.OtherThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * The token of each grant is larger than that of every earlier grant of the key, whatever happens.
 */
interface FencingContract extends ContractFixture {

  @Test
  default void tokensGrowFromHolderToHolderAcrossProcesses() {
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      try (Lease lease = lock().acquire()) {
        tokens.add(lease.token());
      }
      try (Lease lease = sameLockElsewhere().acquire()) {
        tokens.add(lease.token());
      }
    }
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
  }

  @Test
  default void enteringAgainKeepsTheToken() {
    DistributedLock lock = lock();
    lock.lock();
    long token = lock.fencingToken();
    lock.lock();
    assertThat(lock.fencingToken()).isEqualTo(token);
    lock.unlock();
    assertThat(lock.fencingToken()).isEqualTo(token);
    lock.unlock();
    assertThatThrownBy(lock::fencingToken).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  default void aLocalHandoffHasATokenOfItsOwn() {
    DistributedLock lock = lock();
    OtherThread other = otherThread();
    lock.lock();
    long mine = lock.fencingToken();
    Future<Long> theirs =
        other.start(
            () -> {
              lock.lock();
              try {
                return lock.fencingToken();
              } finally {
                lock.unlock();
              }
            });
    eventually().until(() -> lock.info().localWaiters() == 1);
    lock.unlock();
    assertThat(OtherThread.get(theirs)).isGreaterThan(mine);
    lock.lock();
    assertThat(lock.fencingToken()).isGreaterThan(OtherThread.get(theirs));
    lock.unlock();
  }

  @Test
  default void thousandsOfLocalHandoffsOutlastABlockOfTokensAndStayInOrder() throws Exception {
    int rounds = 3000;
    List<Long> tokens = new ArrayList<>();
    DistributedLock lock = lock();
    Runnable work =
        () -> {
          for (int i = 0; i < rounds; i++) {
            lock.lock();
            tokens.add(lock.fencingToken());
            lock.unlock();
          }
        };
    OtherThread other = otherThread();
    Future<Boolean> there = other.startRun(work::run);
    work.run();
    OtherThread.get(there);
    assertThat(tokens).hasSize(2 * rounds).isSorted().doesNotHaveDuplicates();
  }

  @Test
  default void tokensGrowWhenTheLeaseOfTheLastHolderRanOut() throws InterruptedException {
    Lease lost = lock().leaseFor(SHORT_LEASE).acquire();
    try (Lease next = sameLockElsewhere().acquire()) {
      assertThat(next.token()).isGreaterThan(lost.token());
    }
    assertThatThrownBy(lost::close).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  default void tokensGrowWhenTheLockWasRemovedByHand() {
    Lease lost = quickLock(manager()).acquire();
    store().removeByHand(key());
    try (Lease next = sameLockElsewhere().acquire()) {
      assertThat(next.token()).isGreaterThan(lost.token());
    }
    eventually().until(() -> !lost.isValid());
  }

  @Test
  default void tokensGrowWhenTheStoreForgotEverything() {
    long before;
    try (Lease lease = lock().acquire()) {
      before = lease.token();
    }
    store().forgetEverything();
    try (LockManager stranger = store().newManager().build()) { // has seen no token before
      try (Lease lease = stranger.getLock(key()).acquire()) {
        assertThat(lease.token()).isGreaterThan(before);
      }
    }
  }

  @Test
  default void theGuardOfAResourceTurnsTheFormerHolderAway() throws InterruptedException {
    FencingGuard guard = new FencingGuard("resource");
    Lease former = lock().leaseFor(SHORT_LEASE).acquire();
    guard.check(former.token());
    try (Lease present = sameLockElsewhere().acquire()) {
      guard.check(present.token());
      assertThatThrownBy(() -> guard.check(former.token()))
          .isInstanceOf(StaleTokenException.class)
          .hasMessageContaining(Long.toString(present.token()));
      guard.check(present.token());
    }
  }
}
