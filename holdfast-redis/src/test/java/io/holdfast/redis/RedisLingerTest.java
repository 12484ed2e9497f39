package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.FakeClock;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.RedisMonitor;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The cost of a lingering lock: nothing for its own process, two round trips for another one. Round
 * trips are counted as commands of each side, since each side sends and waits only once.
 */
@Isolated
@Timeout(240)
class RedisLingerTest {
  private static final Duration EACH_WAY = Duration.ofMillis(100);

  /** A waiter asks once a second, less a jitter of 10 %. */
  private static final long LEAST_MILLIS_BETWEEN_LOOKS = 900;

  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void aLingeringLockIsTakenAgainWithoutACommand() {
    try (LockManager manager = lingering(server.url())) {
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      lock.unlock();
      try (RedisMonitor monitor = client.monitor()) {
        for (int i = 0; i < 100; i++) {
          lock.lock();
          lock.unlock();
        }
        client.call("PING");
        assertThat(commandsOfClients(monitor)).containsExactly("PING");
      }
    }
  }

  @Test
  void anotherProcessGetsALingeringLockAfterOneCommandOfEach() {
    try (LockManager one = lingering(server.url());
        LockManager other = plain(server.url())) {
      assertTwoRoundTrips(one, other);
    }
  }

  @Test
  void anotherProcessGetsALingeringLockAfterTwoRoundTripsOfASlowNetwork() {
    try (FaultyProxy network = FaultyProxy.to(server);
        LockManager one = lingering(network.url());
        LockManager other = plain(network.url())) {
      Duration taken = assertTwoRoundTrips(one, other, () -> network.delay(EACH_WAY));
      network.delay(Duration.ZERO);
      assertThat(taken)
          .as("there, to the one, back, to the other: four ways")
          .isGreaterThanOrEqualTo(EACH_WAY.multipliedBy(4).minusMillis(5));
    }
  }

  private void assertTwoRoundTrips(LockManager one, LockManager other) {
    assertTwoRoundTrips(one, other, () -> {});
  }

  /** Returns the duration. */
  private Duration assertTwoRoundTrips(LockManager one, LockManager other, Runnable before) {
    other.getLock("warm").lock(); // the process learns the server's clock, and can date a message
    other.getLock("warm").unlock();
    one.getLock("k").lock();
    one.getLock("k").unlock();
    before.run();
    try (RedisMonitor monitor = client.monitor()) {
      long start = System.nanoTime();
      other.getLock("k").lock();
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      List<RedisMonitor.Command> commands =
          monitor.commands().stream()
              .filter(command -> !command.fromScript() && !command.name().equals("SUBSCRIBE"))
              .toList();
      String asking = commands.get(0).source();
      assertThat(commands)
          .filteredOn(command -> !command.source().equals(asking))
          .extracting(RedisMonitor.Command::name)
          .as("the one gives back after a ping in the same packet")
          .containsExactly("PING", "EVALSHA");
      assertThat(commands)
          .filteredOn(command -> command.source().equals(asking))
          .extracting(RedisMonitor.Command::name)
          .as("the other asks, and looks once a second if that takes long")
          .containsOnly("EVALSHA")
          .hasSizeLessThanOrEqualTo(1 + (int) (taken.toMillis() / LEAST_MILLIS_BETWEEN_LOOKS));
      other.getLock("k").unlock();
      return taken;
    }
  }

  private static LockManager plain(String url) {
    return LockManager.builder(patient(url))
        .defaults(LockConfig.builder().leaseTime(600).build())
        .build();
  }

  private static LockManager lingering(String url) {
    LockConfig config = LockConfig.builder().leaseTime(600).linger(Duration.ofMinutes(5)).build();
    FakeClock standsStill = new FakeClock(); // no questions in the background
    return standsStill.drive(LockManager.builder(patient(url))).defaults(config).build();
  }

  private static List<String> commandsOfClients(RedisMonitor monitor) {
    return monitor.commands().stream()
        .filter(command -> !command.fromScript() && !command.name().equals("SUBSCRIBE"))
        .map(RedisMonitor.Command::name)
        .toList();
  }
}
