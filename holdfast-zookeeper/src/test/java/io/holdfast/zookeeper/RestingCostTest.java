package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.testkit.FakeClock;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a manager with default settings sends in a minute in which the application does nothing, as
 * the server counts it. The minute is one of a clock that the test moves; the few pings of
 * ZooKeeper's own client come in real time. The counts are printed, for the docs.
 */
@Timeout(600)
class RestingCostTest {
  private static final int SECONDS = 60;
  private static final Duration STEP = Duration.ofMillis(200);
  private static final int PROBES = 3;

  private final ZooKeeperServer server = ZooKeeperServer.start();
  private final FakeClock clock = new FakeClock();
  private final LockManager manager = manager(clock);

  /** Its clock stands still, so that it sends nothing by itself. */
  private final LockManager others = manager(new FakeClock());

  private LockManager manager(FakeClock time) {
    return time.drive(LockManager.builder(server.url() + "?timeout=30s&connectTimeout=60s"))
        .build();
  }

  @AfterEach
  void close() {
    manager.close();
    others.close();
    server.close();
  }

  /** How many requests the server has received; this question is one. */
  private long received() {
    String prefix = "Received: ";
    return ZooKeeperNodes.ask("127.0.0.1", server.port(), "srvr").stream()
        .filter(line -> line.startsWith(prefix))
        .mapToLong(line -> Long.parseLong(line.substring(prefix.length())))
        .findFirst()
        .orElseThrow();
  }

  /** One batch is sent when the one before it was answered. */
  private void answered() {
    for (int i = 0; i < PROBES; i++) {
      assertThat(manager.getLock("probe").info().holders()).isEmpty();
    }
  }

  private long requestsOfAMinute(String what) {
    answered();
    long before = received();
    answered();
    long ofProbes = received() - before - 1;
    before = received();
    int steps = 0;
    for (Duration passed = Duration.ZERO;
        passed.toSeconds() < SECONDS;
        passed = passed.plus(STEP)) {
      clock.advance(STEP);
      answered();
      steps++;
    }
    long requests = received() - before - 1 - steps * ofProbes;
    System.out.println(what + ": requests in " + SECONDS + " s: " + requests);
    return requests;
  }

  private List<Lease> hold(LockManager holder, int number) {
    List<CompletableFuture<Lease>> asked = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      asked.add(holder.getLock("k" + i).acquireAsync());
    }
    return asked.stream().map(CompletableFuture::join).toList();
  }

  @Test
  void anIdleManager() {
    assertThat(requestsOfAMinute("idle")).isLessThan(60);
  }

  @Test
  void aThousandHeldLocks() {
    List<Lease> held = hold(manager, 1000);
    assertThat(requestsOfAMinute("1,000 held locks")).isLessThan(27_000);
    assertThat(held).allMatch(Lease::isValid);
  }

  @Test
  void whoWaitsForOneLock() {
    hold(others, 1);
    CompletableFuture<Lease> waiting = manager.getLock("k0").acquireAsync();
    Patience.eventually().until(() -> !others.getLock("k0").info().waiters().isEmpty());
    assertThat(requestsOfAMinute("waiting for 1 lock")).isLessThan(200);
    assertThat(waiting).isNotDone();
  }
}
