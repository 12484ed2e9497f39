package io.holdfast;

import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link LockManager#execute} and the sentences it stands for. */
@Timeout(600)
class LockRequestTest {
  private static final int RENEW = -1;
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration A_MOMENT = Duration.ofMillis(20);

  private final ManualTime time = new ManualTime();
  private final MemoryStore store = new MemoryStore(time);
  private final LockManager manager = manager("shop");

  private LockManager manager(String application) {
    return time.drive(LockManager.builder("memory:"))
        .engine(new MemoryBackendProvider(store))
        .application(application)
        .build();
  }

  @AfterEach
  void close() {
    manager.close();
  }

  @Test
  void runsTheCodeUnderTheLockAndReturnsItsResult() throws Exception {
    int result =
        manager.execute(
            "k",
            RENEW,
            1,
            () -> {
              assertThat(manager.getLock("k").isHeldByCurrentThread()).isTrue();
              return 42;
            });

    assertThat(result).isEqualTo(42);
    assertThat(store.size()).isZero();
  }

  @Test
  void passesACheckedExceptionThroughUnchangedAndUnlocks() {
    IOException failure = new IOException("from the code");

    assertThatThrownBy(
            () ->
                manager.execute(
                    "k",
                    RENEW,
                    1,
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure)
        .hasNoSuppressedExceptions();
    assertThat(store.size()).isZero();
  }

  @Test
  void passesAnErrorThroughUnchangedAndUnlocks() {
    AssertionError failure = new AssertionError("from the code");

    assertThatThrownBy(
            () ->
                manager.execute(
                    "k",
                    RENEW,
                    1,
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(store.size()).isZero();
  }

  @Test
  void isReentrant() throws Exception {
    int holds =
        manager.execute(
            "k",
            RENEW,
            1,
            () -> manager.execute("k", RENEW, 1, () -> manager.getLock("k").getHoldCount()));

    assertThat(holds).isEqualTo(2);
    assertThat(store.size()).isZero();
  }

  @Test
  void saysWhoHoldsTheLockWhenItGivesUp() {
    try (LockManager other = manager("accounting")) {
      Lease held = other.getLock("k").acquire();

      assertThatThrownBy(() -> manager.execute("k", RENEW, 0, () -> "not reached"))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("'k'")
          .hasMessageContaining("accounting")
          .hasMessageContaining("process " + ProcessHandle.current().pid())
          .hasMessageContaining("thread '" + Thread.currentThread().getName() + "'")
          .hasMessageContaining("token " + held.token())
          .hasMessageContaining("gave up after 0 ms");
    }
  }

  @Test
  void renewsWhileTheCodeRuns() throws Exception {
    boolean held =
        manager.execute(
            "k",
            RENEW,
            1,
            () -> {
              time.advance(Duration.ofHours(1));
              return manager.getLock("k").isHeldByCurrentThread();
            });

    assertThat(held).isTrue();
  }

  @Test
  void throwsWhenTheCodeHasEndedButTheLockWasLostMeanwhile() {
    assertThatThrownBy(() -> manager.execute("k", 1, 1, this::runForTooLong))
        .isInstanceOf(LockLostException.class)
        .hasMessageContaining("'k'")
        .hasMessageContaining("its lease ran out");
  }

  @Test
  void keepsTheExceptionOfTheCodeAndAddsTheLoss() {
    assertThatThrownBy(
            () ->
                manager.execute(
                    "k",
                    1,
                    1,
                    () -> {
                      runForTooLong();
                      throw new IOException("from the code");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("from the code")
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed())
                    .singleElement()
                    .isInstanceOf(LockLostException.class));
  }

  @Test
  void refusesALeaseThatIsNone() {
    assertThatThrownBy(() -> manager.execute("k", 0, 1, () -> "not reached"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a lease is from");
    assertThatThrownBy(() -> manager.execute("k", -2, 1, () -> "not reached"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a lease is from");
  }

  private String runForTooLong() {
    time.advance(Duration.ofSeconds(2));
    return "done";
  }

  // ---- sentences

  @Test
  void aSentenceRunsCodeUnderTheLockWithItsLease() throws Exception {
    DistributedLock lock = manager.getLock("k");
    LockRequest request = lock.waitUpTo(SECOND).leaseFor(SECOND.multipliedBy(10));

    request.run(
        () -> {
          assertThat(lock.isHeldByCurrentThread()).isTrue();
          assertThat(lock.remainingLease()).isLessThan(SECOND.multipliedBy(10)).isPositive();
          time.advance(SECOND.multipliedBy(4));
          assertThat(lock.remainingLease()).as("not renewed").isLessThan(SECOND.multipliedBy(6));
          request.run(() -> assertThat(lock.getHoldCount()).as("reentrant").isEqualTo(2));
        });

    int left = request.call(() -> 41 + 1);
    assertThat(left).isEqualTo(42);
    assertThat(store.size()).isZero();
  }

  @Test
  void withoutALeaseTheLockIsRenewed() throws Exception {
    DistributedLock lock = manager.getLock("k");

    lock.run(
        () -> {
          time.advance(Duration.ofHours(1));
          assertThat(lock.isHeldByCurrentThread()).isTrue();
        });

    assertThat(lock.<Boolean, RuntimeException>call(lock::isHeldByCurrentThread)).isTrue();
    assertThat(store.size()).isZero();
  }

  @Test
  void everyWordMakesANewSentence() throws Exception {
    LockRequest renewed = manager.getLock("k").waitUpTo(SECOND);
    LockRequest leased = renewed.leaseFor(SECOND);

    assertThat(leased).isNotSameAs(renewed);
    try (Lease lease = renewed.acquire()) {
      time.advance(Duration.ofMinutes(1));
      assertThat(lease.isValid()).as("renewed").isTrue();
    }
    Lease brief = leased.acquire();
    time.advance(SECOND);
    assertThat(brief.isValid()).as("not renewed").isFalse();
    assertThat(renewed).hasToString("LockRequest[lock 'k', waits up to 1 s, renewed]");
    assertThat(leased).hasToString("LockRequest[lock 'k', waits up to 1 s, lease 1 s]");
    assertThat(manager.getSemaphore("s", 3).permits(2))
        .hasToString("LockRequest[2 of semaphore 's', waits as the call says, renewed]");
  }

  @Test
  void whatBeginsWithTryDoesNotWaitUnlessToldTo() throws Exception {
    DistributedLock lock = manager.getLock("k");
    AtomicInteger runs = new AtomicInteger();
    try (LockManager other = manager("accounting");
        Lease held = other.getLock("k").acquire()) {
      assertThat(lock.tryRun(runs::incrementAndGet)).isFalse();
      assertThat(lock.leaseFor(SECOND).tryAcquire()).isEmpty();
      assertThat(lock.waitUpTo(A_MOMENT).tryAcquire()).isEmpty();
      assertThat(lock.waitUpTo(A_MOMENT).tryRun(runs::incrementAndGet)).isFalse();
      assertThat(held.isValid()).isTrue();
    }

    assertThat(lock.tryRun(runs::incrementAndGet)).isTrue();
    assertThat(runs).hasValue(1);
    assertThat(store.size()).isZero();
  }

  @Test
  void aBusyLockIsATimeoutThatNamesItsHolder() {
    try (LockManager other = manager("accounting");
        Lease held = other.getLock("k").acquire()) {
      assertThatThrownBy(() -> manager.getLock("k").waitUpTo(A_MOMENT).acquire())
          .isInstanceOfSatisfying(
              LockTimeoutException.class,
              timeout -> {
                assertThat(timeout.kind()).isEqualTo("lock");
                assertThat(timeout.key()).isEqualTo("k");
              })
          .hasMessageContaining("lock 'k' is held by accounting")
          .hasMessageContaining("token " + held.token())
          .hasMessageEndingWith("gave up after 20 ms");
      assertThatThrownBy(() -> manager.getLock("k").noWait().run(() -> {}))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageEndingWith("gave up after 0 ms");
      LockConfig once =
          LockConfig.builder().lockKey("k").retryPolicy(RetryPolicy.failFast()).build();
      assertThatThrownBy(() -> manager.getLock(once).run(() -> {}))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("gave up as told by RetryPolicy[");
    }
  }

  @Test
  void aSemaphoreHasTheSameSentences() throws Exception {
    DistributedSemaphore semaphore = manager.getSemaphore("s", 3);
    semaphore
        .permits(2)
        .waitUpTo(SECOND)
        .run(() -> assertThat(semaphore.availablePermits()).isEqualTo(1));
    assertThat(semaphore.availablePermits()).isEqualTo(3);

    Lease three = semaphore.acquire(3);
    assertThat(semaphore.tryAcquire(A_MOMENT)).isEmpty();
    assertThat(semaphore.tryRun(() -> {})).isFalse();
    assertThatThrownBy(() -> semaphore.permits(2).waitUpTo(A_MOMENT).call(() -> 1))
        .isInstanceOfSatisfying(
            LockTimeoutException.class,
            timeout -> assertThat(timeout.kind()).isEqualTo("semaphore"))
        .hasMessageContaining("semaphore 's' is held by shop")
        .hasMessageContaining("3 permits");
    CompletableFuture<Integer> async =
        semaphore.callAsync(permit -> CompletableFuture.completedFuture(7));
    three.close();
    assertThat(async.get(60, TimeUnit.SECONDS)).isEqualTo(7);
    assertThat(semaphore.acquireInterruptibly().key()).isEqualTo("s");
    assertThat(semaphore.config().leaseTime()).isEqualTo(LockConfig.defaults().leaseTime());
  }

  @Test
  void permitsThatWereLostWhileTheCodeRanAreReported() {
    DistributedSemaphore semaphore = manager.getSemaphore("s", 1);

    assertThatThrownBy(() -> semaphore.leaseFor(SECOND).run(this::runForTooLong))
        .isInstanceOf(LockLostException.class)
        .hasMessageContaining("semaphore 's'");
  }

  @Test
  void readersWritersAndMultiLocksHaveThemToo() throws Exception {
    DistributedReadWriteLock lock = manager.getReadWriteLock("rw");
    lock.readLock()
        .waitUpTo(SECOND)
        .run(() -> assertThat(lock.readLock().isHeldByCurrentThread()).isTrue());
    lock.writeLock()
        .leaseFor(SECOND)
        .run(() -> assertThat(lock.writeLock().isHeldByCurrentThread()).isTrue());
    DistributedLock both = manager.getMultiLock("a", "b");
    both.waitUpTo(SECOND).run(() -> assertThat(both.isHeldByCurrentThread()).isTrue());
    assertThat(both.leaseFor(SECOND).acquireAsync().get(60, TimeUnit.SECONDS).isValid()).isTrue();
    assertThatThrownBy(() -> both.noWait().run(() -> {}))
        .isInstanceOfSatisfying(
            LockTimeoutException.class,
            timeout -> {
              assertThat(timeout.kind()).isEqualTo("multi-lock");
              assertThat(timeout.key()).isEqualTo("a + b");
            });
  }

  @Test
  void anInterruptedThreadTakesNothing() {
    DistributedLock lock = manager.getLock("k");
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> lock.run(() -> {}),
            () -> lock.call(() -> 1),
            () -> lock.tryRun(() -> {}),
            () -> lock.waitUpTo(SECOND).acquire(),
            () -> lock.noWait().tryAcquire(),
            () -> manager.getSemaphore("s", 1).run(() -> {}),
            () -> manager.getSemaphore("s", 1).acquireInterruptibly())) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(call).isInstanceOf(InterruptedException.class);
    }
    assertThat(store.size()).isZero();
  }

  // ---- without blocking

  @Test
  void asyncCodeGetsTheLeaseAndTheLockIsGivenBackWhenItEnds() throws Exception {
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<Lease> seen = new CompletableFuture<>();

    CompletableFuture<String> result =
        manager
            .getLock("k")
            .waitUpTo(SECOND)
            .callAsync(
                lease -> {
                  seen.complete(lease);
                  return work;
                });
    Lease lease = seen.get(60, TimeUnit.SECONDS);
    assertThat(lease.token()).isPositive();
    assertThat(lease.isValid()).isTrue();
    work.complete("done");

    assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(lease.isValid()).isFalse();
    assertThat(store.size()).isZero();
    AtomicLong token = new AtomicLong();
    manager.getLock("k").runAsync(held -> token.set(held.token())).get(60, TimeUnit.SECONDS);
    assertThat(token.get()).isGreaterThan(lease.token());
    assertThat(store.size()).isZero();
  }

  @Test
  void asyncCodeThatFailsGivesTheLockBack() {
    DistributedLock lock = manager.getLock("k");
    IOException failure = new IOException("from the code");
    IllegalStateException thrown = new IllegalStateException("at once");

    assertThatThrownBy(() -> lock.callAsync(lease -> failedFuture(failure)).join())
        .cause()
        .isSameAs(failure);
    assertThatThrownBy(
            () ->
                lock.runAsync(
                        lease -> {
                          throw thrown;
                        })
                    .join())
        .cause()
        .isSameAs(thrown);
    assertThat(store.size()).isZero();
  }

  @Test
  void aLossDuringAsyncCodeIsReported() {
    DistributedLock lock = manager.getLock("k");

    assertThatThrownBy(() -> lock.leaseFor(SECOND).runAsync(lease -> runForTooLong()).join())
        .hasCauseInstanceOf(LockLostException.class);
    assertThatThrownBy(
            () ->
                lock.leaseFor(SECOND)
                    .callAsync(
                        lease -> {
                          runForTooLong();
                          return failedFuture(new IOException("from the code"));
                        })
                    .join())
        .cause()
        .isInstanceOf(IOException.class)
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed())
                    .singleElement()
                    .isInstanceOf(LockLostException.class));
  }

  @Test
  void toCancelStopsTheWaitAndNotTheCode() throws Exception {
    DistributedLock lock = manager.getLock("k");
    AtomicInteger runs = new AtomicInteger();
    try (LockManager other = manager("accounting");
        Lease held = other.getLock("k").acquire()) {
      CompletableFuture<?> waiting = lock.runAsync(lease -> runs.incrementAndGet());
      waiting.cancel(false);
      await().untilAsserted(() -> assertThat(lock.info().waiters()).isEmpty());
      assertThat(held.isValid()).isTrue();
    }
    CountDownLatch started = new CountDownLatch(1);
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<String> running =
        lock.callAsync(
            lease -> {
              started.countDown();
              return work;
            });
    started.await();
    running.cancel(false);
    assertThat(lock.isLocked()).as("while the code runs").isTrue();
    work.complete("done");

    await().untilAsserted(() -> assertThat(store.size()).isZero());
    assertThat(runs).hasValue(0);
  }
}
