package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RetryPolicyTest {
  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  @Test
  void standardNeverStopsAndLooksAgainAboutOnceASecond() {
    RetryPolicy policy = RetryPolicy.standard();

    assertThat(policy.allowsTryAfter(Integer.MAX_VALUE)).isTrue();
    assertThat(policy.maxTime()).isZero();
    assertThat(policy.spins()).isZero();
    for (int tries = 1; tries <= 100; tries++) {
      assertThat(policy.delayNanosAfter(tries)).isBetween(millis(900), millis(1100));
    }
  }

  @Test
  void failFastTriesOnce() {
    assertThat(RetryPolicy.failFast().allowsTryAfter(0)).isTrue();
    assertThat(RetryPolicy.failFast().allowsTryAfter(1)).isFalse();
  }

  @Test
  void fixedWaitsForTheSameTimeAlways() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofMillis(200));

    assertThat(LongStream.of(1, 2, 50, 1_000_000).map(tries -> policy.delayNanosAfter((int) tries)))
        .containsOnly(millis(200));
    assertThat(policy.longestDelay()).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void exponentialDoublesUpToTheMost() {
    RetryPolicy policy = RetryPolicy.exponential(Duration.ofMillis(10), Duration.ofMillis(100));

    assertThat(LongStream.rangeClosed(1, 6).map(tries -> policy.delayNanosAfter((int) tries)))
        .containsExactly(millis(10), millis(20), millis(40), millis(80), millis(100), millis(100));
    assertThat(policy.delayNanosAfter(Integer.MAX_VALUE)).isEqualTo(millis(100));
  }

  @Test
  void delaysAreCountedAfterTheSpins() {
    RetryPolicy policy =
        RetryPolicy.exponential(Duration.ofMillis(10), Duration.ofSeconds(1)).spins(3);

    assertThat(policy.spins()).isEqualTo(3);
    assertThat(policy.delayNanosAfter(4)).isEqualTo(millis(10));
    assertThat(policy.delayNanosAfter(5)).isEqualTo(millis(20));
  }

  @Test
  void jitterVariesEachDelayWithinItsShare() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofMillis(100)).jitter(0.5);
    List<Long> delays = LongStream.range(0, 1000).mapToObj(i -> policy.delayNanosAfter(1)).toList();

    assertThat(delays)
        .allMatch(delay -> delay >= millis(50) && delay <= millis(150))
        .anyMatch(delay -> delay < millis(90))
        .anyMatch(delay -> delay > millis(110));
    assertThat(new HashSet<>(delays)).hasSizeGreaterThan(100);
    assertThat(policy.longestDelay()).isEqualTo(Duration.ofMillis(150));
  }

  @Test
  void aFullJitterNeverGivesADelayOfNothing() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofNanos(1)).jitter(1);

    assertThat(LongStream.range(0, 1000).map(i -> policy.delayNanosAfter(1)))
        .allMatch(delay -> delay >= 1);
  }

  @Test
  void maxTriesStopsAfterThatMany() {
    RetryPolicy policy = RetryPolicy.standard().maxTries(3);

    assertThat(policy.allowsTryAfter(2)).isTrue();
    assertThat(policy.allowsTryAfter(3)).isFalse();
  }

  @Test
  void maxTimeIsKept() {
    assertThat(RetryPolicy.standard().maxTime(Duration.ofSeconds(3)).maxTime())
        .isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void everyStepLeavesThePolicyItStartedFromAsItWas() {
    RetryPolicy policy = RetryPolicy.standard();

    policy.maxTries(1).maxTime(Duration.ofSeconds(1)).spins(5).jitter(0);

    assertThat(policy.allowsTryAfter(1)).isTrue();
    assertThat(policy.maxTime()).isZero();
    assertThat(policy.spins()).isZero();
  }

  @Test
  void saysWhatItDoes() {
    assertThat(RetryPolicy.standard())
        .hasToString(
            "RetryPolicy[first=1 s, most=1 s, jitter=0.1, spins=0, maxTries=no limit, maxTime=no limit]");
    assertThat(RetryPolicy.failFast().maxTime(Duration.ofSeconds(2)).toString())
        .contains("maxTries=1", "maxTime=2 s");
  }

  static Stream<Arguments> badInput() {
    return Stream.of(
        bad(() -> RetryPolicy.fixed(Duration.ZERO), "delay must be positive, not PT0S"),
        bad(
            () -> RetryPolicy.fixed(Duration.ofMillis(-1)),
            "delay must be positive, not PT-0.001S"),
        bad(
            () -> RetryPolicy.exponential(Duration.ZERO, Duration.ofSeconds(1)),
            "first delay must be positive, not PT0S"),
        bad(
            () -> RetryPolicy.exponential(Duration.ofSeconds(2), Duration.ofSeconds(1)),
            "most delay PT1S is less than the first PT2S"),
        bad(() -> RetryPolicy.standard().jitter(-0.1), "jitter is a share from 0 to 1, not -0.1"),
        bad(() -> RetryPolicy.standard().jitter(1.1), "jitter is a share from 0 to 1, not 1.1"),
        bad(
            () -> RetryPolicy.standard().jitter(Double.NaN),
            "jitter is a share from 0 to 1, not NaN"),
        bad(() -> RetryPolicy.standard().spins(-1), "spins must not be negative: -1"),
        bad(() -> RetryPolicy.standard().maxTries(0), "there must be at least one try, not 0"),
        bad(
            () -> RetryPolicy.standard().maxTime(Duration.ZERO),
            "time must be positive, not PT0S"));
  }

  private static Arguments bad(Supplier<RetryPolicy> policy, String message) {
    return Arguments.of(message, policy);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badInput")
  void refusesBadInput(String message, Supplier<RetryPolicy> policy) {
    assertThatThrownBy(policy::get)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  static Stream<Arguments> timesTooLong() {
    return Stream.of(
        bad(() -> RetryPolicy.fixed(FOR_EVER), "fixed"),
        bad(() -> RetryPolicy.exponential(Duration.ofSeconds(1), FOR_EVER), "exponential"),
        bad(() -> RetryPolicy.standard().maxTime(FOR_EVER), "maxTime"));
  }

  /** Nanoseconds in a long end after 292 years; a sum that overflows must not end a wait. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("timesTooLong")
  @Timeout(600)
  void refusesTimesThatCannotBeCountedOrWorksWithThem(String what, Supplier<RetryPolicy> policy)
      throws InterruptedException {
    LockConfig config;
    try {
      config = LockConfig.builder().lockKey("k").retryPolicy(policy.get()).build();
    } catch (IllegalArgumentException refused) {
      return;
    }
    try (LockManager ours = LockManager.create("memory:too-long-" + what);
        LockManager theirs = LockManager.create("memory:too-long-" + what)) {
      Lease held = theirs.getLock("k").acquire();
      DistributedLock lock = ours.getLock(config);

      assertThat(lock.tryLock(Duration.ofMillis(20))).isFalse();
      held.close();
      assertThat(lock.tryLock(Duration.ofMillis(20))).isTrue();
    }
  }

  @Test
  @Timeout(600)
  void anyNumberOfSpinsIsFine() throws InterruptedException {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofMillis(1)).spins(200_000);
    LockConfig config = LockConfig.builder().lockKey("k").retryPolicy(policy).build();
    try (LockManager ours = LockManager.create("memory:spins");
        LockManager theirs = LockManager.create("memory:spins")) {
      Lease held = theirs.getLock("k").acquire();
      DistributedLock lock = ours.getLock(config);

      assertThat(lock.tryLock(Duration.ofMillis(50))).isFalse();
      held.close();
      assertThat(lock.tryLock(Duration.ofSeconds(10))).isTrue();
    }
  }

  private static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }
}
