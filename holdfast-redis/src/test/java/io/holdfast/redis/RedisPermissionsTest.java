package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedCountDownLatch;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/** Redis users with few rights: messages name the missing ones, and the advice is sufficient. */
@Isolated
@Timeout(300)
class RedisPermissionsTest {
  private static final String CHANNELS = "&lock:release:* &holdfast:inbox:*";
  private static final String KEYS = "~orders:* ~holdfast:*";

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * For tests that never hold a lock: a refused release is repeated until the lease is over, and
   * the end of the test waits for that.
   */
  private static final LockConfig SHORT_LEASES =
      LockConfig.builder().leaseTime(Duration.ofMillis(500)).build();

  /** For tests that hold a lock, and must not lose it on a busy machine. */
  private static final LockConfig LONG_LEASES = LockConfig.builder().leaseTime(60).build();

  @RegisterExtension static final OwnRedisServer SERVER = new OwnRedisServer();

  private final String key = "orders:" + UUID.randomUUID();
  private RespClient admin;

  @BeforeEach
  void connect() {
    admin = SERVER.client();
  }

  @AfterEach
  void disconnect() {
    admin.call("ACL", "DELUSER", "app");
    admin.close();
  }

  @Test
  void aUserThatMayNotRunScriptsGetsTheListOfRights() {
    try (LockManager manager = connectWith("+@all -evalsha -eval " + KEYS + " " + CHANNELS)) {
      assertThatThrownBy(() -> manager.getLock(key).lock())
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll(key, "NOPERM", "+evalsha", "+eval");
    }
  }

  @Test
  void aUserThatMayNotRunTheCommandsOfScriptsGetsTheListOfRights() {
    try (LockManager manager = connectWith("+@all -hset " + KEYS + " " + CHANNELS)) {
      assertThatThrownBy(() -> manager.getLock(key).lock())
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll(key, "user", "+evalsha", "hash");
      assertThat(admin.call("EXISTS", key)).isEqualTo(0L);
    }
  }

  @Test
  void aUserThatMayNotSetALifetimeLeavesNoLockWithoutOne() {
    try (LockManager manager = connectWith("+@all -pexpire " + KEYS + " " + CHANNELS)) {
      DistributedLock lock = manager.getLock(key);
      assertThatThrownBy(lock::tryLock).isInstanceOf(StoreException.class);
      await().atMost(PATIENCE).until(() -> !isTrue("EXISTS", key));
      assertThatThrownBy(lock::lock).isInstanceOf(StoreException.class);
      await().atMost(PATIENCE).until(() -> !isTrue("EXISTS", key));
    }
  }

  @Test
  void aUserThatMayNotUseTheKeyGetsTheListOfKeys() {
    try (LockManager manager = connectWith("+@all ~other:* ~holdfast:* " + CHANNELS)) {
      assertThatThrownBy(() -> manager.getLock(key).lock())
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll("'" + key + "'", "'holdfast:*'");
    }
  }

  @Test
  void aUserThatMayNotUseTheKeysOfHoldfastGetsTheListOfKeys() {
    try (LockManager manager = connectWith("+@all ~orders:* " + CHANNELS)) {
      assertThatThrownBy(() -> manager.getLock(key).lock())
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll("'" + key + "'", "'holdfast:*'");
    }
  }

  @Test
  void aUserThatMayNotSubscribeGetsTheListOfRightsWhenItConnects() {
    assertThatThrownBy(() -> connectWith("+@all -subscribe " + KEYS + " " + CHANNELS))
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll("NOPERM", "+subscribe");
  }

  @Test
  void aUserWithoutTheInboxGetsTheListOfChannelsWhenItConnects() {
    assertThatThrownBy(() -> connectWith("+@all " + KEYS + " &lock:release:*"))
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll("NOPERM", "holdfast:inbox:*");
  }

  @Test
  void aUserThatMayNotAnnounceAReleaseGetsTheListOfRightsAndTheLockIsFree() {
    try (LockManager manager = connectWith("+@all " + KEYS + " &holdfast:inbox:*", LONG_LEASES)) {
      DistributedLock lock = manager.getLock(key);
      lock.lock();
      Throwable fault = catchThrowable(lock::unlock);
      assertThat(admin.call("EXISTS", key)).isEqualTo(0L);
      if (fault != null) {
        assertThat(fault).isInstanceOf(StoreException.class).hasMessageContaining("lock:release:*");
      }
    }
  }

  @Test
  void aWaiterIsServedAlthoughTheHolderMayNotAnnounceItsRelease() {
    try (LockManager holder = connectWith("+@all " + KEYS + " &holdfast:inbox:*", LONG_LEASES);
        LockManager waiter = LockManager.create(patient(SERVER.get().url()));
        OtherThread other = new OtherThread("waiter")) {
      holder.getLock(key).lock();
      Future<Boolean> waiting = other.startRun(() -> waiter.getLock(key).lock());
      await().atMost(PATIENCE).until(() -> isTrue("EXISTS", "holdfast:queue:" + key));
      Throwable fault = catchThrowable(() -> holder.getLock(key).unlock());
      assertThat(fault == null || fault instanceof StoreException).isTrue();
      assertThat(OtherThread.get(waiting)).isTrue();
      other.run(() -> waiter.getLock(key).unlock());
    }
  }

  @Test
  void aUserThatMayNotAskForTheVersionWorks() {
    try (LockManager manager = connectWith("+@all -info " + KEYS + " " + CHANNELS, LONG_LEASES)) {
      DistributedLock lock = manager.getLock(key);
      lock.lock();
      lock.unlock();
    }
  }

  @Test
  void theAdvisedRightsAreSufficient() {
    List<String> rules = new ArrayList<>(List.of("+@connection"));
    try (LockManager manager = connectWith("+@all -evalsha -eval " + KEYS + " " + CHANNELS)) {
      Throwable fault = catchThrowable(() -> manager.getLock(key).lock());
      Matcher permission =
          Pattern.compile("\\+@?[a-z]+(\\|[a-z]+)?").matcher(String.valueOf(fault.getMessage()));
      while (permission.find()) {
        rules.add(permission.group());
      }
    }
    assertThat(rules).contains("+evalsha", "+subscribe");
    String user = String.join(" ", rules) + " " + KEYS + " " + CHANNELS;
    try (LockManager first = connectWith(user, LONG_LEASES);
        LockManager second = LockManager.create(patient(SERVER.get().url("app", "secret")));
        OtherThread other = new OtherThread("other")) {
      DistributedLock lock = first.getLock(key);
      lock.lock();
      assertThat(second.getLock(key).tryLock()).isFalse();
      Future<Boolean> waiting = other.startRun(() -> second.getLock(key).lock());
      assertThat(second.getLock(key).info().isLocked()).isTrue();
      lock.unlock();
      OtherThread.get(waiting);
      assertThat(lock.forceUnlock()).isTrue();
    }
    try (LockManager manager = connectWith(user, LONG_LEASES)) {
      everyOtherPrimitiveWorks(manager);
    }
  }

  private void everyOtherPrimitiveWorks(LockManager manager) {
    DistributedReadWriteLock readWrite = manager.getReadWriteLock(key + ":rw");
    readWrite.writeLock().lock();
    readWrite.readLock().lock();
    readWrite.writeLock().unlock(); // a renewal that keeps a smaller amount
    readWrite.readLock().unlock();

    DistributedSemaphore semaphore = manager.getSemaphore(key + ":permits", 3);
    Lease permits = semaphore.acquire(2);
    semaphore.setPermits(2);
    assertThat(semaphore.tryAcquire()).isEmpty();
    permits.close();
    semaphore.setPermits(3);
    assertThat(semaphore.forceRelease()).isFalse();

    manager.getMultiLock(key + ":1", key + ":2").acquire().close();

    DistributedCountDownLatch latch = manager.getCountDownLatch(key + ":latch");
    assertThat(latch.trySetCount(1)).isTrue();
    CompletableFuture<Boolean> passed = latch.awaitAsync();
    assertThat(latch.countDown()).isZero();
    assertThat(passed.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isTrue();
    assertThat(latch.trySetCount(5)).isTrue();
    CompletableFuture<Boolean> forced = latch.awaitAsync();
    await().atMost(PATIENCE).until(() -> latch.info().waiters().size() == 1);
    assertThat(latch.forceOpen()).isTrue();
    assertThat(forced.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isTrue();
    assertThat(admin.list("KEYS", "*" + key + ":*")).isEmpty();
  }

  private boolean isTrue(String... question) {
    return Long.valueOf(1).equals(admin.call(question));
  }

  /** Gives a user exactly these rights, and connects as that user. */
  private LockManager connectWith(String rights) {
    return connectWith(rights, SHORT_LEASES);
  }

  private LockManager connectWith(String rights, LockConfig leases) {
    List<String> command =
        new ArrayList<>(List.of("ACL", "SETUSER", "app", "reset", "on", ">secret"));
    command.addAll(List.of(rights.trim().split(" +")));
    admin.call(command.toArray(String[]::new));
    return LockManager.builder(patient(SERVER.get().url("app", "secret"))).defaults(leases).build();
  }
}
