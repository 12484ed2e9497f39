package io.holdfast.testkit.contract;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** What the chapters of a contract have in common: two managers on one store, and a fresh key. */
interface ContractFixture {
  /** A lease that ends soon but not by accident. */
  Duration SHORT_LEASE = Duration.ofMillis(600);

  /** Long enough to be sure that something does not happen by itself, on a slow machine too. */
  Duration PATIENCE = Duration.ofSeconds(20);

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

  /** A lock with a short lease that is renewed. */
  default DistributedLock quickLock(LockManager manager) {
    return manager.getLock(quick());
  }

  default LockConfig quick() {
    return LockConfig.builder().lockKey(key()).leaseTime(SHORT_LEASE).build();
  }

  default ConditionFactory eventually() {
    return Awaitility.await()
        .pollInSameThread()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5));
  }
}
