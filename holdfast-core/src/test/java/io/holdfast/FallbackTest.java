package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.LockEvent.Kind;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Locks of a process alone while the store cannot be reached. */
@Timeout(600)
@SuppressWarnings("LockNotBeforeTry")
class FallbackTest {
  private final MemoryStore memory = new MemoryStore(TimeSource.system());
  private final WatchedStore store = new WatchedStore(memory);
  private final List<LockEvent> events = new CopyOnWriteArrayList<>();
  private final LockManager manager = manager(Fallback.PROCESS_LOCAL);

  private LockManager manager(Fallback fallback) {
    return builder(fallback, Duration.ofSeconds(60)).build();
  }

  private LockManagerBuilder builder(Fallback fallback, Duration lease) {
    LockConfig config =
        LockConfig.builder()
            .storeTimeout(Duration.ofMillis(200))
            .leaseTime(lease)
            .renewalTime(Duration.ofMillis(500))
            .fallback(fallback)
            .build();
    return LockManager.builder("memory:").engine(store).defaults(config).listener(events::add);
  }

  @AfterEach
  void close() {
    bringBack();
    manager.close();
  }

  private void cutOff() {
    store.answer("acquire", call -> done(new AcquireResult.Unknown(cut())));
    store.answer(
        "acquireAll", call -> Optional.of(done(List.of(new AcquireResult.Unknown(cut())))));
    store.answer("release", call -> done(new ReleaseResult.Unknown(cut())));
    store.answer(
        "renew",
        call ->
            done(
                ((List<?>) call.argument(0))
                    .stream().map(each -> (RenewResult) new RenewResult.Unknown(cut())).toList()));
    store.answer("ping", call -> CompletableFuture.failedFuture(cut()));
  }

  private void bringBack() {
    List.of("acquire", "acquireAll", "release", "renew", "ping").forEach(store::answerNormally);
  }

  private static Throwable cut() {
    return new TimeoutException("cut off");
  }

  private static <T> CompletableFuture<T> done(T value) {
    return CompletableFuture.completedFuture(value);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void theDefaultIsToFail() {
    try (LockManager plain = manager(Fallback.FAIL)) {
      cutOff();
      assertThatThrownBy(() -> plain.getLock("k").tryLock())
          .isInstanceOf(StoreUnavailableException.class);
    }
  }

  @Test
  void aProcessLocalLockKeepsTheThreadsOfTheProcessApartAndSaysWhatItIs() throws Exception {
    cutOff();
    try (Lease lease = manager.getLock("k").acquire()) {
      assertThat(lease.isDegraded()).isTrue();
      assertThat(lease.isValid()).isTrue();
      assertThat(manager.getLock("k").tryLock()).as("a second holder").isFalse();
      assertThat(manager.health().degraded()).isEqualTo(1);
    }
    assertThat(manager.getLock("k").tryLock()).isTrue();
    assertThat(manager.getLock("k").isDegraded()).isTrue();
    manager.getLock("k").unlock();
    await().until(() -> events.stream().anyMatch(event -> event.kind() == Kind.DEGRADED));
  }

  @Test
  void aProcessLocalLockIsKeptForLongerThanItsLease() {
    cutOff();
    ManualTime time = new ManualTime();
    try (LockManager brief =
        time.drive(builder(Fallback.PROCESS_LOCAL, Duration.ofSeconds(1))).build()) {
      CompletableFuture<Lease> coming = brief.getLock("k").acquireAsync();
      await()
          .pollInSameThread()
          .until(
              () -> {
                time.advance(
                    Duration.ofMillis(100)); // until the store has been silent for too long
                return coming.isDone();
              });
      Lease lease = coming.join();
      assertThat(lease.isDegraded()).isTrue();
      time.advance(Duration.ofMinutes(1));
      assertThat(lease.isValid()).isTrue();
      bringBack();
      lease.close();
    }
  }

  @Test
  void theNextAttemptAsksTheStoreAgain() throws Exception {
    cutOff();
    Lease local = manager.getLock("k").acquire();
    CompletableFuture<Lease> next = manager.getLock("k").acquireAsync();
    bringBack();
    local.close();

    try (Lease real = next.get()) {
      assertThat(real.isDegraded()).isFalse();
      assertThat(memory.size()).as("it is in the store").isEqualTo(1);
    }
    await().until(() -> events.stream().anyMatch(event -> event.kind() == Kind.NORMAL_AGAIN));
  }

  @Test
  void whatTheStoreMayHaveOfTheAttemptIsGivenBack() throws Exception {
    cutOff();
    store.answer(
        "acquire",
        call -> {
          call.proceed(); // it takes effect, and nobody hears of it
          return done(new AcquireResult.Unknown(cut()));
        });
    Lease local = manager.getLock("k").acquire();
    assertThat(local.isDegraded()).isTrue();
    assertThat(memory.size()).isEqualTo(1);
    bringBack();

    await().until(() -> memory.size() == 0);
    local.close();
  }

  @Test
  void theCallerMayDecideByTheKeyAndItsExceptionsReachTheCaller() {
    Fallback strategy =
        (key, cause) -> {
          if (key.equals("strange")) {
            throw new IllegalStateException("strange", cause);
          }
          return key.startsWith("cache:")
              ? Fallback.Decision.PROCESS_LOCAL
              : Fallback.Decision.FAIL;
        };
    try (LockManager choosy = manager(strategy)) {
      cutOff();
      assertThat(choosy.getLock("cache:1").tryLock()).isTrue();
      assertThatThrownBy(() -> choosy.getLock("stock:1").tryLock())
          .isInstanceOf(StoreUnavailableException.class);
      assertThatThrownBy(() -> choosy.getLock("strange").tryLock())
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("strange");
      choosy.getLock("cache:1").unlock();
      bringBack();
    }
  }

  @Test
  void aTimedAttemptFallsBackWhenItsTimeIsOver() throws Exception {
    LockConfig patient =
        LockConfig.builder()
            .lockKey("k")
            .storeTimeout(Duration.ofSeconds(30))
            .fallback(Fallback.PROCESS_LOCAL)
            .build();
    store.answer("acquire", call -> done(new AcquireResult.Unknown(cut())));
    assertThat(manager.getLock(patient).tryLock(Duration.ofMillis(300))).isTrue();
    assertThat(manager.getLock(patient).isDegraded()).isTrue();
    manager.getLock(patient).unlock();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void locksOfAllKindsHaveAFallbackPermitsAndLatchesHaveNone() throws Exception {
    cutOff();
    DistributedReadWriteLock readWrite = manager.getReadWriteLock("rw");
    readWrite.readLock().lock();
    assertThat(readWrite.readLock().isDegraded()).isTrue();
    readWrite.readLock().unlock();
    readWrite.writeLock().lock();
    assertThat(readWrite.writeLock().isDegraded()).isTrue();
    readWrite.writeLock().unlock();

    try (Lease all = manager.getMultiLock("a", "b").acquire()) {
      assertThat(all.isDegraded()).isTrue();
    }
    assertThatThrownBy(() -> manager.getSemaphore("s", 2).tryAcquire())
        .isInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(() -> manager.getCountDownLatch("l").await(Duration.ofMillis(500)))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void realLocksHeldThroughTheOutageAreRenewedBesideProcessLocalOnes() throws Exception {
    AtomicInteger renewals = new AtomicInteger();
    try (Lease real = manager.getLock("real").acquire()) {
      store.answer(
          "acquire",
          call ->
              ((AcquireRequest) call.argument(0)).key().equals("k")
                  ? done(new AcquireResult.Unknown(cut()))
                  : call.proceed());
      store.answer(
          "renew",
          call -> {
            assertThat((List<?>) call.argument(0))
                .allMatch(each -> ((RenewRequest) each).key().equals("real"));
            renewals.incrementAndGet();
            return call.proceed();
          });
      try (Lease local = manager.getLock("k").acquire()) {
        await().until(() -> renewals.get() >= 3);
        assertThat(local.isValid()).isTrue();
        assertThat(real.isValid()).isTrue();
      }
    }
  }
}
