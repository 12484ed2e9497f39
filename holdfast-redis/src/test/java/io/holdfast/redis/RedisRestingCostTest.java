package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.testkit.FakeClock;
import io.holdfast.testservers.RedisMonitor;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What a manager with default settings sends in a minute in which the application does nothing, as
 * the server sees it. The minute is one of a clock that the test moves. The counts are printed, for
 * the docs.
 */
@Isolated
@Timeout(600)
class RedisRestingCostTest {
  private static final int SECONDS = 60;
  private static final Duration STEP = Duration.ofMillis(100);
  private static final String PROBE = "probe";

  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();
  private final FakeClock clock = new FakeClock();
  private final LockManager manager = manager(clock);

  /** Its clock stands still, so that it sends nothing by itself. */
  private final LockManager others = manager(new FakeClock());

  private LockManager manager(FakeClock time) {
    return time.drive(LockManager.builder(patient(server.url()))).build();
  }

  @AfterEach
  void close() {
    manager.close();
    others.close();
    client.close();
    server.close();
  }

  /** By name of the command. */
  private Map<String, Integer> commandsOfAMinute(String what) {
    answered();
    Map<String, Integer> counts = new TreeMap<>();
    try (RedisMonitor monitor = client.monitor()) {
      for (Duration passed = Duration.ZERO;
          passed.toSeconds() < SECONDS;
          passed = passed.plus(STEP)) {
        clock.advance(STEP);
        answered();
      }
      for (RedisMonitor.Command each : monitor.commands()) {
        if (!each.fromScript() && each.words().stream().noneMatch(word -> word.contains(PROBE))) {
          counts.merge(each.name(), 1, Integer::sum);
        }
      }
    }
    System.out.println(what + ": commands in " + SECONDS + " s: " + counts);
    return counts;
  }

  /** One batch is sent when the one before it was answered; there are at most three. */
  private void answered() {
    for (int i = 0; i < 4; i++) {
      assertThat(manager.getLock(PROBE).info().holders()).isEmpty();
    }
  }

  private List<Lease> hold(LockManager holder, int number) {
    List<CompletableFuture<Lease>> asked = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      asked.add(holder.getLock("k" + i).acquireAsync());
    }
    return asked.stream().map(CompletableFuture::join).toList();
  }

  private static int sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void anIdleManager() {
    assertThat(sum(commandsOfAMinute("idle"))).isLessThanOrEqualTo(12);
  }

  @Test
  void aThousandHeldLocks() {
    List<Lease> held = hold(manager, 1000);
    assertThat(sum(commandsOfAMinute("1,000 held locks"))).isLessThanOrEqualTo(120);
    assertThat(held).allMatch(Lease::isValid);
  }

  @Test
  void aThousandHeldLocksThatOthersWaitFor() {
    List<Lease> held = hold(manager, 1000);
    for (int i = 0; i < 1000; i++) {
      others.getLock("k" + i).acquireAsync();
    }
    awaitWaiter("k999");
    assertThat(sum(commandsOfAMinute("1,000 held locks that others wait for")))
        .isLessThanOrEqualTo(120);
    assertThat(held).allMatch(Lease::isValid);
  }

  @Test
  void whoWaitsForOneLock() {
    hold(others, 1);
    manager.getLock("k0").acquireAsync();
    awaitWaiter("k0");
    assertThat(sum(commandsOfAMinute("waiting for 1 lock"))).isLessThanOrEqualTo(150);
  }

  @Test
  void aHundredThreadsThatWaitForOneLock() {
    hold(others, 1);
    for (int i = 0; i < 100; i++) {
      manager.getLock("k0").acquireAsync();
    }
    awaitWaiter("k0");
    assertThat(sum(commandsOfAMinute("100 that wait for 1 lock"))).isLessThanOrEqualTo(150);
  }

  private void awaitWaiter(String key) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> !others.getLock(key).info().waiters().isEmpty());
  }
}
