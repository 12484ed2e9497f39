package io.holdfast.testkit.contract;

import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * Another process that takes a lock, says so and never closes its manager. Arguments: URL, key, and
 * whether to close at the exit.
 */
final class HoldingProcess {
  static final Duration LEASE = Duration.ofMinutes(10);

  private HoldingProcess() {}

  public static void main(String[] args) throws InterruptedException {
    ChildJvm.exitWhenParentDies();
    LockManager manager =
        LockManager.builder(args[0])
            .application("child")
            .defaults(LockConfig.builder().leaseTime(LEASE).build())
            .shutdownHook(Boolean.parseBoolean(args[2]))
            .build();
    manager.getLock(args[1]).lock();
    System.out.println("locked");
    new CountDownLatch(1).await();
  }
}
