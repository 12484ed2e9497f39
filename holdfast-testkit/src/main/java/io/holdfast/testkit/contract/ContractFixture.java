package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** What the chapters of a contract have in common: two managers on one store, and a fresh key. */
interface ContractFixture {
  /** A lease that is there to end. A test does nothing that needs it to last. */
  Duration SHORT_LEASE = Duration.ofMillis(600);

  /** A lease that ends within the test, but not before a few steps are done. */
  Duration ENDING_LEASE = Duration.ofSeconds(3);

  /** A lease that lasts through a test, on a starved machine too, and needs no renewal. */
  Duration LONG_LEASE = Duration.ofMinutes(10);

  /** For what comes sooner or later, on a starved machine too. No test proves anything by it. */
  Duration PATIENCE = Duration.ofMinutes(2);

  /** The store. */
  EngineUnderTest store();

  /** One process. */
  LockManager manager();

  /** Another process on the same store. */
  LockManager otherManager();

  /** A third, or one more. */
  LockManager anotherManager();

  /** A key that no other test uses. */
  String key();

  /** A thread of the first process; closed after the test. */
  OtherThread otherThread();

  default DistributedLock lock() {
    return manager().getLock(key());
  }

  /** The same lock, seen from another process. */
  default DistributedLock sameLockElsewhere() {
    return otherManager().getLock(key());
  }

  /** A lock that is renewed often. */
  default DistributedLock quickLock(LockManager manager) {
    return manager.getLock(quick());
  }

  /** Its lease lasts far beyond {@link #PATIENCE}: who is served by then did not wait for one. */
  default LockConfig lasting() {
    return LockConfig.builder().lockKey(key()).leaseTime(LONG_LEASE).build();
  }

  /** Renewed often, so that what happens at a renewal happens soon; the lease lasts. */
  default LockConfig quick() {
    return LockConfig.builder().lockKey(key()).renewalTime(Duration.ofMillis(200)).build();
  }

  /**
   * What a manager held is free at once when it is closed. Each time a new manager takes it and is
   * closed. A close waits for the store for some seconds only, which a starved machine may need, so
   * it must succeed once.
   */
  default void assertFreedByClose(Function<LockManager, DistributedLock> lock) {
    boolean free = false;
    for (int i = 0; i < 4 && !free; i++) {
      LockManager closing = store().newManager().build();
      lock.apply(closing).lock();
      closing.close();
      free = lock.apply(otherManager()).tryLock();
    }
    assertThat(free).isTrue();
    lock.apply(otherManager()).unlock();
  }

  default ConditionFactory eventually() {
    return Awaitility.await()
        .pollInSameThread()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5));
  }
}
