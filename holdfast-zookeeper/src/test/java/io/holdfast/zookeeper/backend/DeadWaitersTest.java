package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.AcquireResult.Busy;
import io.holdfast.spi.AcquireResult.Granted;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import io.holdfast.testkit.FakeClock;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How long a living waiter waits for dead ones whose sessions live on, by a clock that the test
 * moves. Their leases are over by the clock of the server before the holder leaves.
 */
@Timeout(300)
class DeadWaitersTest {
  private static final Duration SESSION = Duration.ofMinutes(5);
  private static final long LONGEST_PAUSE = 1000; // of a waiter that asks on its own
  private static final long LONG = 600_000;
  private static final long SHORT = 50;

  private final FakeClock clock = new FakeClock();
  private final String servers = ZooKeeperServer.shared();
  private final ZooKeeperNodes nodes = ZooKeeperNodes.connect(servers);
  private final BackendBench holding = new BackendBench(servers, SESSION, clock);
  private final BackendBench dead = new BackendBench(servers, SESSION, clock);
  private final BackendBench living = new BackendBench(servers, SESSION, clock);
  private final String key = "dead:" + UUID.randomUUID();
  private final Resource lock = Resource.lock(key);
  private final Owner holder = holding.newOwner();
  private final Owner waiter = living.newOwner();

  @AfterEach
  void close() {
    holding.close();
    dead.close();
    living.close();
    nodes.deleteAll("/holdfast/" + key);
    nodes.close();
  }

  /** Asks as core does: when it is told to, and after a second. Gives the milliseconds it took. */
  private long askUntilGranted() {
    long passed = 0;
    AcquireResult answer = ask();
    while (answer instanceof Busy busy) {
      long told = busy.retryAfterMillis();
      long pause = told < 0 ? LONGEST_PAUSE : Math.min(LONGEST_PAUSE, told + 1);
      clock.advance(Duration.ofMillis(pause));
      passed += pause;
      answer = ask();
    }
    assertThat(answer).isInstanceOf(Granted.class);
    return passed;
  }

  private AcquireResult ask() {
    return living.acquire(lock, waiter, Claim.EXCLUSIVE, LONG, true);
  }

  /**
   * It takes two seconds to notice that nothing comes, and a quarter for each in front. Those who
   * stand behind many look a little later, so that not all do so at once.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 8})
  void theFirstCostsTwoSecondsAndEachThatFollowsOne(int waiters) throws InterruptedException {
    assertThat(holding.acquire(lock, holder, Claim.EXCLUSIVE, LONG, true))
        .isInstanceOf(Granted.class);
    for (int i = 0; i < waiters; i++) {
      assertThat(dead.acquire(lock, dead.newOwner(), Claim.EXCLUSIVE, SHORT, true))
          .isInstanceOf(Busy.class);
    }
    assertThat(ask()).isInstanceOf(Busy.class);
    Thread.sleep(2 * SHORT); // their leases are over then, by the clock of the server
    assertThat(holding.release(lock, holder)).isInstanceOf(ReleaseResult.Released.class);

    long passed = askUntilGranted();

    long toNotice = 2000 + 250L * (waiters + 1) + LONGEST_PAUSE;
    long toPassOver = 2000 + 1000L * (waiters - 1);
    long stagger = 100L * waiters * (waiters - 1) / 2;
    long rounding = 5L * waiters;
    assertThat(passed).isBetween(toPassOver, toNotice + toPassOver + stagger + rounding);
  }
}
