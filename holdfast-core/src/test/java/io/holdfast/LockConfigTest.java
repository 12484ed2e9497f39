package io.holdfast;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.base.LockRules;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockConfigTest {
  private static final String HALF_A_PAIR = "\uD83D";

  @Test
  void hasSafeDefaults() {
    LockConfig config = LockConfig.defaults();

    assertThat(config.lockKey()).isNull();
    assertThat(config.leaseTime()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.renewalTime()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.fair()).isFalse();
    assertThat(config.interruptOnLoss()).isFalse();
    assertThat(config.waitAlert()).isZero();
    assertThat(config.lossMargin()).as("depends on the lease").isNull();
    assertThat(LockRules.validity(config, config.leaseTime())).isLessThan(config.leaseTime());
  }

  @Test
  void takesBareNumbersAsSeconds() {
    LockConfig config =
        LockConfig.builder().lockKey("k").leaseTime(60).renewalTime(5).watchdogPeriod(2).build();

    assertThat(config.leaseTime()).isEqualTo(Duration.ofMinutes(1));
    assertThat(config.renewalTime()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.watchdogPeriod()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void renewsAfterAThirdOfTheLeaseUnlessToldOtherwise() {
    assertThat(LockConfig.builder().leaseTime(9).build().renewalTime())
        .isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void keepsEverythingWhenOnlyTheKeyChanges() {
    LockConfig config =
        LockConfig.builder()
            .leaseTime(60)
            .renewalTime(7)
            .watchdogPeriod(3)
            .fair(true)
            .retryPolicy(RetryPolicy.failFast())
            .clockDrift(0.05)
            .lossMargin(Duration.ofSeconds(7))
            .storeTimeout(Duration.ofSeconds(4))
            .interruptOnLoss(true)
            .waitAlert(Duration.ofSeconds(6))
            .handoffLimit(8)
            .handoffTime(Duration.ofMillis(9))
            .build();

    LockConfig other = config.withKey("other");

    assertThat(other.lockKey()).isEqualTo("other");
    assertThat(other).usingRecursiveComparison().ignoringFields("lockKey").isEqualTo(config);
  }

  @Test
  void countsALeaseAsValidForLessThanTheStoreKeepsIt() {
    LockConfig config = LockConfig.builder().clockDrift(0.01).build();

    assertThat(LockRules.validity(config, Duration.ofSeconds(30)))
        .isEqualTo(Duration.ofMillis(27_698));
    assertThat(LockRules.validity(config, Duration.ofMillis(1))).as("never negative").isZero();
  }

  static Stream<Arguments> badSettings() {
    return Stream.of(
        bad("a lease is from 50 ms to 365 days, not PT0S", b -> b.leaseTime(0)),
        bad("a lease is from 50 ms to 365 days, not PT-1S", b -> b.leaseTime(-1)),
        bad(
            "a lease is from 50 ms to 365 days, not PT0.049S",
            b -> b.leaseTime(Duration.ofMillis(49))),
        bad(
            "a lease is from 50 ms to 365 days, not PT8784H",
            b -> b.leaseTime(Duration.ofDays(366))),
        bad("renewalTime must be positive, not PT0S", b -> b.renewalTime(0)),
        bad("renewalTime must be positive, not PT-5S", b -> b.renewalTime(-5)),
        bad(
            "renewalTime PT30S must be shorter than PT27.698S, which is leaseTime PT30S "
                + "less clockDrift and lossMargin, or the lock is lost before it is renewed; a "
                + "third of the lease is a good choice",
            b -> b.leaseTime(30).renewalTime(30)),
        bad(
            "renewalTime PT29.9S must be shorter than PT27.698S, which is leaseTime PT30S "
                + "less clockDrift and lossMargin, or the lock is lost before it is renewed; a "
                + "third of the lease is a good choice",
            b -> b.leaseTime(30).renewalTime(Duration.ofMillis(29_900))),
        bad(
            "renewalTime PT16S must be shorter than PT14.698S, which is leaseTime PT30S "
                + "less clockDrift and lossMargin, or the lock is lost before it is renewed; a "
                + "third of the lease is a good choice",
            b -> b.renewalTime(16).lossMargin(Duration.ofSeconds(15))),
        bad("lossMargin must not be negative: PT-1S", b -> b.lossMargin(Duration.ofSeconds(-1))),
        bad(
            "lossMargin PT15.001S must be at most half of leaseTime PT30S, or no time is left to use the lock",
            b -> b.lossMargin(Duration.ofMillis(15_001))),
        bad(
            "lossMargin PT2S must be at most half of leaseTime PT1S, or no time is left to use the lock",
            b -> b.leaseTime(1).lossMargin(Duration.ofSeconds(2))),
        bad("watchdogPeriod must be positive, not PT0S", b -> b.watchdogPeriod(0)),
        bad("watchdogPeriod must be positive, not PT-1S", b -> b.watchdogPeriod(-1)),
        bad("storeTimeout must be positive, not PT0S", b -> b.storeTimeout(Duration.ZERO)),
        bad(
            "storeTimeout must be positive, not PT-1S",
            b -> b.storeTimeout(Duration.ofSeconds(-1))),
        bad("waitAlert must not be negative: PT-1S", b -> b.waitAlert(Duration.ofSeconds(-1))),
        bad(
            "handoffLimit -1 and handoffTime PT0.01S must not be negative",
            b -> b.handoffLimit(-1)),
        bad(
            "handoffLimit 128 and handoffTime PT-1S must not be negative",
            b -> b.handoffTime(Duration.ofSeconds(-1))));
  }

  private static Arguments bad(String message, Consumer<LockConfigBuilder> setting) {
    return Arguments.of(message, setting);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badSettings")
  void refusesBadSettingsAndSaysWhy(String message, Consumer<LockConfigBuilder> setting) {
    LockConfigBuilder builder = LockConfig.builder();

    setting.accept(builder);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.01, 0.6, 1, Double.NaN, Double.POSITIVE_INFINITY})
  void refusesADriftThatIsNoSmallShare(double drift) {
    assertThatThrownBy(() -> LockConfig.builder().clockDrift(drift).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("clockDrift is a share from 0 to ")
        .hasMessageEndingWith(", not " + drift);
  }

  static Stream<Arguments> timesTooLong() {
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
    return Stream.of(
        bad("storeTimeout", b -> b.storeTimeout(forEver)),
        bad("waitAlert", b -> b.waitAlert(forEver)),
        bad("lossMargin", b -> b.lossMargin(forEver)),
        bad("handoffTime", b -> b.handoffTime(forEver)),
        bad("watchdogPeriod", b -> b.watchdogPeriod(forEver)));
  }

  /** Nanoseconds in a long end after 292 years; an overflow inside unlock() would lock for good. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("timesTooLong")
  void refusesTimesThatCannotBeCounted(String name, Consumer<LockConfigBuilder> setting) {
    LockConfigBuilder builder = LockConfig.builder();

    setting.accept(builder);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t\n "})
  void refusesABlankKey(String key) {
    assertBadKey(key, "a lock needs a key that is not blank");
  }

  @Test
  void refusesNoKey() {
    assertThatThrownBy(() -> LockRules.requireKey(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a lock needs a key, not null");
  }

  @Test
  void refusesAKeyOfItsOwn() {
    assertBadKey("holdfast:x", "keys that start with 'holdfast:' are Holdfast's own: 'holdfast:x'");
  }

  @Test
  void refusesAHugeKeyWithoutRepeatingAllOfIt() {
    String key = "x".repeat(1025);

    assertBadKey(key, "a key has at most 1024 characters, not 1025: '" + "x".repeat(40) + "...'");
  }

  @Test
  void refusesHalfASurrogatePairWhereverItIs() {
    assertBadKey(HALF_A_PAIR, surrogateMessage(0));
    assertBadKey("ab" + HALF_A_PAIR, surrogateMessage(2));
    assertBadKey(HALF_A_PAIR + "ab", surrogateMessage(0));
    assertBadKey("\uDE00\uD83D", surrogateMessage(0));
  }

  private static String surrogateMessage(int index) {
    return "the key has half a surrogate pair at index "
        + index
        + " and cannot be written as UTF-8";
  }

  @ParameterizedTest
  @ValueSource(strings = {"k", "stock:42", " k ", "名前", "emoji \uD83D\uDE00 in it", "a\u0000b"})
  void takesEveryOtherKeyAsItIs(String key) {
    assertThat(LockRules.requireKey(key)).isSameAs(key);
    assertThat(LockConfig.builder().lockKey(key).build().lockKey()).isSameAs(key);
  }

  @Test
  void takesTheLongestKey() {
    assertThat(LockRules.requireKey("x".repeat(LockConfig.MAX_KEY_LENGTH))).hasSize(1024);
  }

  private static void assertBadKey(String key, String message) {
    assertThatThrownBy(() -> LockConfig.builder().lockKey(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> LockConfig.defaults().withKey(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  // ---- as a value

  private static final RetryPolicy POLICY = RetryPolicy.fixed(Duration.ofMillis(200));
  private static final Fallback OF_THE_APPLICATION = (key, cause) -> Fallback.Decision.FAIL;

  /** One setting changed each; every setting is here, see below. */
  private static final Map<String, UnaryOperator<LockConfigBuilder>> CHANGES =
      Map.ofEntries(
          entry("lockKey='k'", b -> b.lockKey("k")),
          entry("leaseTime=1 min, renewalTime=20 s", b -> b.leaseTime(60)),
          entry("renewalTime=1500 ms", b -> b.renewalTime(Duration.ofMillis(1500))),
          entry("watchdogPeriod=2 min", b -> b.watchdogPeriod(120)),
          entry("fair=true", b -> b.fair(true)),
          entry(
              "retryPolicy=RetryPolicy[first=200 ms, most=200 ms, jitter=0.0, spins=0,"
                  + " maxTries=no limit, maxTime=no limit]",
              b -> b.retryPolicy(POLICY)),
          entry("clockDrift=0.05", b -> b.clockDrift(0.05)),
          entry("lossMargin=1 s", b -> b.lossMargin(Duration.ofSeconds(1))),
          entry("storeTimeout=5 s", b -> b.storeTimeout(Duration.ofSeconds(5))),
          entry("fallback=PROCESS_LOCAL", b -> b.fallback(Fallback.PROCESS_LOCAL)),
          entry("fallback=of the application", b -> b.fallback(OF_THE_APPLICATION)),
          entry("interruptOnLoss=true", b -> b.interruptOnLoss(true)),
          entry("waitAlert=1 h", b -> b.waitAlert(Duration.ofHours(1))),
          entry("holdAlert=2 d", b -> b.holdAlert(Duration.ofDays(2))),
          entry("blockedAlert=0 s", b -> b.blockedAlert(Duration.ZERO)),
          entry(
              "recoveryStrategy=[RESTART_RENEWAL, RELEASE, RELEASE_LEASED, REACQUIRE]",
              b -> b.recoveryStrategy(RecoveryStrategy.ALL)),
          entry("alertThreshold=3", b -> b.alertThreshold(3)),
          entry("captureStack=true", b -> b.captureStack(true)),
          entry("handoffLimit=0", b -> b.handoffLimit(0)),
          entry("handoffTime=500 us", b -> b.handoffTime(Duration.ofNanos(500_000))),
          entry("linger=250 ms", b -> b.linger(Duration.ofMillis(250))),
          entry("pipelinedRelease=true", b -> b.pipelinedRelease(true)));

  @Test
  void showsKeyLeaseRenewalAndWhatIsNotTheDefault() {
    assertThat(LockConfig.defaults()).hasToString("LockConfig[leaseTime=30 s, renewalTime=10 s]");
    assertThat(LockConfig.builder().lockKey("stock:42").leaseTime(10).fair(true).build())
        .hasToString(
            "LockConfig[lockKey='stock:42', leaseTime=10 s, renewalTime=3333 ms, fair=true]");
    CHANGES.forEach(
        (shown, change) ->
            assertThat(change.apply(LockConfig.builder()).build().toString()).contains(shown));
  }

  @Test
  void isEqualIfEverySettingIs() {
    LockConfig usual = LockConfig.defaults();
    assertThat(LockConfig.builder().build()).isEqualTo(usual).hasSameHashCodeAs(usual);
    CHANGES
        .values()
        .forEach(
            change -> {
              LockConfig changed = change.apply(LockConfig.builder()).build();
              assertThat(changed).isNotEqualTo(usual);
              assertThat(change.apply(LockConfig.builder()).build())
                  .isEqualTo(changed)
                  .hasSameHashCodeAs(changed);
              assertThat(changed.toBuilder().build()).as("toBuilder").isEqualTo(changed);
            });
  }

  @Test
  void nothingIsForgottenAsAValue() {
    assertThat(CHANGES.keySet())
        .extracting(shown -> shown.substring(0, shown.indexOf('=')))
        .containsAll(
            Stream.of(LockConfigBuilder.class.getDeclaredFields())
                .filter(field -> !field.isSynthetic())
                .map(Field::getName)
                .toList());
  }
}
