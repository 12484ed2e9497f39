package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.RedisServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that end by a signal; see also the contract of the lock. */
@Timeout(600)
class ExitTest {
  private static final Duration LONG_LEASE = Duration.ofMinutes(10);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final RedisServer redis = RedisServer.shared();
  private final String key = "exit:" + UUID.randomUUID();

  /** Arguments: URL, key, and "alone", "unhooked", or "closing" for a shutdown hook. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws InterruptedException {
      ChildJvm.exitWhenParentDies();
      LockManager manager =
          LockManager.builder(args[0])
              .defaults(LockConfig.builder().leaseTime(LONG_LEASE).build())
              .shutdownHook(!args[2].equals("unhooked"))
              .build();
      if (args[2].equals("closing")) {
        Runtime.getRuntime().addShutdownHook(new Thread(manager::close));
      }
      manager.getLock(args[1]).lock();
      System.out.println("locked");
      new CountDownLatch(1).await();
    }
  }

  @Test
  void aHookOfTheApplicationMayCloseTheManagerAtTheSameTime() {
    String patient = "-Dholdfast.internal.closeSeconds=60"; // however starved it is
    try (ChildJvm holder = start("closing", redis.url(), patient);
        LockManager other = LockManager.create(PatientUrl.patient(redis.url()))) {
      holder.terminate();
      assertThat(holder.waitFor(PATIENCE)).isEqualTo(128 + 15);
      assertThat(other.getLock(key).tryLock()).isTrue();
    }
  }

  @Test
  void withoutTheHookTheLockStaysUntilItsLeaseEnds() {
    try (ChildJvm holder = start("unhooked", redis.url());
        LockManager other = LockManager.create(PatientUrl.patient(redis.url()))) {
      holder.terminate();
      holder.waitFor(PATIENCE);
      assertThat(other.getLock(key).tryLock()).isFalse();
      other.getLock(key).forceUnlock();
    }
  }

  @Test
  void aProcessEndsAlthoughItsStoreDoesNotAnswer() {
    try (FaultyProxy proxy = FaultyProxy.to(redis);
        ChildJvm holder = start("alone", proxy.url())) {
      proxy.blackHole();
      holder.terminate();
      assertThat(holder.waitFor(PATIENCE)).isEqualTo(128 + 15);
    }
  }

  private ChildJvm start(String how, String url, String... jvmArgs) {
    ChildJvm holder =
        ChildJvm.builder(Holder.class)
            .args(PatientUrl.patient(url), key, how)
            .jvmArgs(jvmArgs)
            .start();
    holder.awaitLine("locked", PATIENCE);
    return holder;
  }
}
