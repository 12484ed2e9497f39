package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long before the store's expiry the belief in a lock ends, with a clock that a test moves. */
@Timeout(600)
class LossMarginTest {
  /** The memory engine counts microseconds. */
  private static final Duration A_MOMENT = Duration.ofNanos(1_000);

  private final ManualTime time = new ManualTime();
  private final WatchedStore store = new WatchedStore(new MemoryStore(time));
  private final List<LockManager> managers = new ArrayList<>();

  private LockManager manager(Executor callbacks) {
    LockManager manager =
        time.drive(LockManager.builder("memory:"))
            .engine(store)
            .callbackExecutor(callbacks)
            .build();
    managers.add(manager);
    return manager;
  }

  @AfterEach
  void close() {
    CutOff.bringBack(store);
    managers.forEach(LockManager::close);
  }

  private static LockConfigBuilder settings() {
    return LockConfig.builder().lockKey("k");
  }

  /** Locks, advances to its end in the store, and returns when the loss was called back. */
  private Duration toldAfter(DistributedLock lock, Duration perCall, Duration lease)
      throws InterruptedException {
    List<Duration> told = new ArrayList<>();
    long start = time.nanoTime();
    Lease held = perCall.isZero() ? lock.acquire() : lock.leaseFor(perCall).acquire();
    held.onLost(loss -> told.add(Duration.ofNanos(time.nanoTime() - start)));
    CutOff.cutOff(store);
    time.advance(lease.minus(A_MOMENT));
    assertThat(told).as("called back before the store can expire it").hasSize(1);
    return told.get(0);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "PT0.05S, PT0.0025S, PT0.01S",
    "PT0.6S,  PT0.008S,  PT0.12S",
    "PT1S,    PT0.012S,  PT0.2S",
    "PT30S,   PT0.302S,  PT2S",
    "PT1H,    PT36.002S, PT2S"
  })
  void theHolderIsToldDriftAndMarginBeforeTheStoreCanExpireTheLease(
      Duration lease, Duration drift, Duration margin) throws InterruptedException {
    Duration expected = lease.minus(drift).minus(margin);
    DistributedLock renewed = manager(Runnable::run).getLock(settings().leaseTime(lease).build());
    assertThat(toldAfter(renewed, Duration.ZERO, lease)).isEqualTo(expected);

    CutOff.bringBack(store);
    time.advance(lease.multipliedBy(2));

    DistributedLock defaults = manager(Runnable::run).getLock("another");
    assertThat(toldAfter(defaults, lease, lease)).as("a lease per call").isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}, lease {1}")
  @CsvSource({
    "PT5S,  PT30S,  PT24.698S",
    "PT0S,  PT30S,  PT29.698S",
    "PT15S, PT30S,  PT14.698S",
    "PT5S,  PT60S,  PT54.398S",
    "PT5S,  PT4S,   PT1.958S", // half of it
    "PT5S,  PT0.1S, PT0.047S",
  })
  void theSettingIsUsedAsItIsButAtMostHalfOfAShorterLease(
      Duration margin, Duration lease, Duration expected) throws InterruptedException {
    DistributedLock lock =
        manager(Runnable::run)
            .getLock(settings().lossMargin(margin).renewalTime(Duration.ofSeconds(2)).build());

    assertThat(toldAfter(lock, lease, lease)).isEqualTo(expected);
  }

  @Test
  void theBeliefEndsAtTheDeadlineWhetherOrNotACallbackHasRun() throws InterruptedException {
    Queue<Runnable> stuck = new ArrayDeque<>(); // an executor that runs nothing
    DistributedLock lock = manager(stuck::add).getLock("k");
    DistributedLock same = manager(Runnable::run).getLock("k");
    Lease held = lock.leaseFor(Duration.ofSeconds(1)).acquire();
    List<LockLoss> told = new ArrayList<>();
    held.onLost(told::add);

    time.advance(Duration.ofMillis(788).minus(A_MOMENT));
    assertThat(held.isValid()).isTrue();
    assertThat(held.remaining()).isEqualTo(A_MOMENT);
    time.advance(A_MOMENT);

    assertThat(told).isEmpty();
    assertThat(held.isValid()).isFalse();
    assertThat(held.remaining()).isZero();
    time.advance(Duration.ofMillis(212).minus(A_MOMENT));
    assertThat(same.tryLock()).as("granted to another within the margin").isFalse();
    time.advance(A_MOMENT);
    assertThat(same.tryLock()).isTrue();
    stuck.forEach(Runnable::run);
    assertThat(told).hasSize(1);
  }

  /** Not even the timer has run: the process was paused. */
  @Test
  void theBeliefEndsByTheClockAlone() throws InterruptedException {
    Lease held = manager(Runnable::run).getLock("k").leaseFor(Duration.ofSeconds(1)).acquire();

    time.pause(Duration.ofMillis(788).minus(A_MOMENT));
    assertThat(held.isValid()).isTrue();
    time.pause(A_MOMENT);

    assertThat(held.isValid()).isFalse();
    assertThat(held.remaining()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0.05S", "PT0.6S", "PT30S"})
  void aLockIsKeptThoughEveryOtherRenewalFails(Duration lease) {
    for (LockConfig config :
        List.of(
            settings().leaseTime(lease).build(),
            settings().leaseTime(lease).lossMargin(lease.dividedBy(2)).build())) {
      AtomicInteger renewals = new AtomicInteger();
      store.answer(
          "renew",
          call ->
              renewals.incrementAndGet() % 2 == 1
                  ? CutOff.done(CutOff.unknownFor((List<?>) call.argument(0)))
                  : call.proceed());
      try (Lease held = manager(Runnable::run).getLock(config).acquire()) {
        time.advance(lease.multipliedBy(100));
        assertThat(held.isValid()).isTrue();
      }
      assertThat(renewals.get()).isGreaterThan(200);
    }
  }

  /** As with a session of ZooKeeper, or a grant to be confirmed. */
  @ParameterizedTest
  @CsvSource({"PT5S, PT3.948S", "PT30S, PT27.698S"})
  void aLeaseThatIsGrantedInPiecesEndsNoLater(Duration lease, Duration expected)
      throws InterruptedException {
    long piece = 1_500;
    store.answer(
        "acquire",
        call -> {
          AcquireResult.Granted granted = (AcquireResult.Granted) answerOf(call);
          return CutOff.done(new AcquireResult.Granted(granted.tokens(), piece, false));
        });
    store.answer(
        "renew",
        call -> {
          RenewRequest request = (RenewRequest) ((List<?>) call.argument(0)).get(0);
          long granted = Math.min(piece, request.leaseMillis());
          return CutOff.done(List.of(new RenewResult.Renewed(granted, false)));
        });
    AtomicInteger givenBack = new AtomicInteger();
    store.answer(
        "release",
        call -> {
          givenBack.incrementAndGet();
          return call.proceed();
        });
    List<Duration> told = new ArrayList<>();
    Lease held = manager(Runnable::run).getLock("k").leaseFor(lease).acquire();
    held.onLost(loss -> told.add(Duration.ofNanos(time.nanoTime())));
    assertThat(held.remaining()).isEqualTo(Duration.ofMillis(1_500 - 300 - 17));
    long start = time.nanoTime();

    time.advance(lease.minus(A_MOMENT));

    assertThat(told).containsExactly(expected.plusNanos(start));
    assertThat(givenBack).as("given back within the margin").hasValue(0);
    time.advance(A_MOMENT);
    assertThat(givenBack).hasValue(1);
  }

  private static Object answerOf(WatchedStore.Call call) {
    return ((CompletionStage<?>) Objects.requireNonNull(call.proceed()))
        .toCompletableFuture()
        .join();
  }

  @Test
  void aRenewalWhoseAnswerWasLostDelaysTheNextByNoMoreThanTheLease() {
    store.answer(
        "renew",
        call -> {
          assertThat(answerOf(call)).isNotNull();
          List<RenewResult> lost = CutOff.unknownFor((List<?>) call.argument(0));
          return CutOff.done(lost);
        });
    Duration lease = Duration.ofSeconds(10);
    Lease held = manager(Runnable::run).getLock(settings().leaseTime(lease).build()).acquire();
    DistributedLock theirs = manager(Runnable::run).getLock("k");

    time.advance(lease.minus(A_MOMENT));
    assertThat(held.isValid()).isFalse();
    assertThat(theirs.tryLock()).as("granted to another within the margin").isFalse();
    time.advance(A_MOMENT);

    assertThat(theirs.tryLock()).as("the store would keep it for longer").isTrue();
  }
}
