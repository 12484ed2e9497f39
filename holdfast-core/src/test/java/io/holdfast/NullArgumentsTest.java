package io.holdfast;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A null where there must be a value is refused at once, by the name of the argument. */
@SuppressWarnings("NullAway")
class NullArgumentsTest {
  private static final LockManager MANAGER = LockManager.create("memory:nulls");
  private static final Duration SHORT = Duration.ofSeconds(1);

  @AfterAll
  static void close() {
    MANAGER.close();
  }

  private static Arguments call(String argument, String method, ThrowingCallable call) {
    return arguments(argument, method, call);
  }

  static Stream<Arguments> ofManagers() {
    return Stream.of(
        call("url", "create", () -> LockManager.create(null)),
        call("url", "builder", () -> LockManager.builder(null)),
        call("engine", "engine", () -> LockManager.builder("memory:").engine(null)),
        call("name", "application", () -> LockManager.builder("memory:").application(null)),
        call("config", "defaults", () -> LockManager.builder("memory:").defaults(null)),
        call("listener", "listener", () -> LockManager.builder("memory:").listener(null)),
        call("collector", "metrics", () -> LockManager.builder("memory:").metrics(null)),
        call("executor", "executor", () -> LockManager.builder("memory:").callbackExecutor(null)),
        call("listener", "addListener", () -> MANAGER.addListener(null)),
        call("key", "getLock", () -> MANAGER.getLock((String) null)),
        call("config", "getLock", () -> MANAGER.getLock((LockConfig) null)),
        call("key", "getFairLock", () -> MANAGER.getFairLock(null)),
        call("key", "getReadWriteLock", () -> MANAGER.getReadWriteLock(null)),
        call("config", "getReadWriteLock", () -> MANAGER.getReadWriteLock(null, false)),
        call("key", "getSemaphore", () -> MANAGER.getSemaphore((String) null, 1)),
        call("config", "getSemaphore", () -> MANAGER.getSemaphore((LockConfig) null, 1)),
        call("key", "getCountDownLatch", () -> MANAGER.getCountDownLatch((String) null)),
        call("config", "getCountDownLatch", () -> MANAGER.getCountDownLatch((LockConfig) null)),
        call("keys", "getMultiLock", () -> MANAGER.getMultiLock((String[]) null)),
        call("key", "getMultiLock", () -> MANAGER.getMultiLock("a", null)),
        call("keys", "getMultiLock", () -> MANAGER.getMultiLock(LockConfig.defaults(), null)),
        call("config", "getMultiLock", () -> MANAGER.getMultiLock(null, List.of("a"))),
        call("key", "getSegmentedLock", () -> MANAGER.getSegmentedLock(null, 2)),
        call("subKey", "forKey", () -> MANAGER.getSegmentedLock("s", 2).forKey(null)),
        call("wait", "tryAny", () -> MANAGER.getSegmentedLock("s", 2).tryAcquireAny(null)),
        call("key", "destroyLock", () -> MANAGER.destroyLock(null)),
        call("key", "execute", () -> MANAGER.execute(null, -1, 1, () -> "")),
        call("body", "execute", () -> MANAGER.execute("k", -1, 1, null)));
  }

  static Stream<Arguments> ofLocks() {
    DistributedLock lock = MANAGER.getLock("k");
    DistributedLock both = MANAGER.getMultiLock("k", "l");
    DistributedLock reads = MANAGER.getReadWriteLock("rw").readLock();
    Stream<Arguments> calls = Stream.of();
    for (DistributedLock each : List.of(lock, both, reads)) {
      calls =
          Stream.concat(
              calls,
              Stream.of(
                  call("unit", "lock", () -> each.lock(1, null)),
                  call("wait", "tryLock", () -> each.tryLock((Duration) null)),
                  call("unit", "tryLock", () -> each.tryLock(1, null)),
                  call("unit", "tryLock", () -> each.tryLock(1, 1, null)),
                  call("wait", "tryAcquire", () -> each.tryAcquire(null)),
                  call("wait", "waitUpTo", () -> each.waitUpTo(null)),
                  call("lease", "leaseFor", () -> each.leaseFor(null)),
                  call("lease", "leaseFor", () -> each.waitUpTo(SHORT).leaseFor(null)),
                  call("action", "run", () -> each.run(null)),
                  call("body", "call", () -> each.call(null)),
                  call("action", "tryRun", () -> each.tryRun(null)),
                  call("action", "runAsync", () -> each.runAsync(null)),
                  call("body", "callAsync", () -> each.callAsync(null)),
                  call("listener", "onLost", () -> each.onLost(null)),
                  call("listener", "onResumed", () -> each.onResumed(null))));
    }
    return calls;
  }

  static Stream<Arguments> ofSemaphoresAndLatches() {
    DistributedSemaphore semaphore = MANAGER.getSemaphore("s", 2);
    DistributedCountDownLatch latch = MANAGER.getCountDownLatch("l");
    return Stream.of(
        call("wait", "tryAcquire", () -> semaphore.tryAcquire(null)),
        call("wait", "tryAcquire", () -> semaphore.tryAcquire(1, null)),
        call("wait", "waitUpTo", () -> semaphore.permits(1).waitUpTo(null)),
        call("lease", "leaseFor", () -> semaphore.leaseFor(null)),
        call("listener", "onResumed", () -> semaphore.onResumed(null)),
        call("listener", "onLost", () -> semaphore.onLost(null)),
        call("time", "await", () -> latch.await(null)),
        call("unit", "await", () -> latch.await(1, null)),
        call("time", "awaitAsync", () -> latch.awaitAsync(null)));
  }

  static Stream<Arguments> ofSettings() {
    return Stream.of(
        call("key", "lockKey", () -> LockConfig.builder().lockKey(null)),
        call("leaseTime", "leaseTime", () -> LockConfig.builder().leaseTime(null)),
        call("renewalTime", "renewalTime", () -> LockConfig.builder().renewalTime(null)),
        call("watchdogPeriod", "watchdogPeriod", () -> LockConfig.builder().watchdogPeriod(null)),
        call("retryPolicy", "retryPolicy", () -> LockConfig.builder().retryPolicy(null)),
        call("lossMargin", "lossMargin", () -> LockConfig.builder().lossMargin(null)),
        call("storeTimeout", "storeTimeout", () -> LockConfig.builder().storeTimeout(null)),
        call("fallback", "fallback", () -> LockConfig.builder().fallback(null)),
        call("waitAlert", "waitAlert", () -> LockConfig.builder().waitAlert(null)),
        call("holdAlert", "holdAlert", () -> LockConfig.builder().holdAlert(null)),
        call("blockedAlert", "blockedAlert", () -> LockConfig.builder().blockedAlert(null)),
        call("recoveryStrategy", "recovery", () -> LockConfig.builder().recoveryStrategy(null)),
        call("handoffTime", "handoffTime", () -> LockConfig.builder().handoffTime(null)),
        call("linger", "linger", () -> LockConfig.builder().linger(null)),
        call("delay", "fixed", () -> RetryPolicy.fixed(null)),
        call("first delay", "exponential", () -> RetryPolicy.exponential(null, SHORT)),
        call("most delay", "exponential", () -> RetryPolicy.exponential(SHORT, null)),
        call("time", "maxTime", () -> RetryPolicy.standard().maxTime(null)));
  }

  @ParameterizedTest(name = "{1}: {0}")
  @MethodSource({"ofManagers", "ofLocks", "ofSemaphoresAndLatches", "ofSettings"})
  void isRefusedByName(String argument, String method, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfAny(NullPointerException.class, IllegalArgumentException.class)
        .hasMessageMatching("(?s).*\\b" + argument + "\\b.*null.*");
  }
}
