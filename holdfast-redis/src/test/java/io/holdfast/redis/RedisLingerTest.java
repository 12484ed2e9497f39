package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.FaultyProxy;
import io.holdfast.testkit.RedisMonitor;
import io.holdfast.testkit.RedisServer;
import io.holdfast.testkit.RespClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What a lock that lingers costs: nothing when it is used again, two round trips to another. */
@Isolated
@Timeout(60)
class RedisLingerTest {
  private static final Duration EACH_WAY = Duration.ofMillis(300);

  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void aLockThatLingersIsTakenAgainWithoutACommand() {
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
  void anotherProcessHasItAfterOneCommandOfEach() {
    try (LockManager one = lingering(server.url());
        LockManager other = LockManager.create(server.url())) {
      other.getLock("warm").lock(); // so that it knows the server's clock, and can date a message
      other.getLock("warm").unlock();
      one.getLock("k").lock();
      one.getLock("k").unlock();
      try (RedisMonitor monitor = client.monitor()) {
        other.getLock("k").lock();
        client.call("PING");
        assertThat(commandsOfClients(monitor))
            .as("the other asks, the one gives back after a ping; the rest are messages")
            .containsExactly("EVALSHA", "PING", "EVALSHA", "PING");
        other.getLock("k").unlock();
      }
    }
  }

  @Test
  void anotherProcessHasItWithinTwoRoundTrips() {
    try (FaultyProxy network = FaultyProxy.to(server);
        LockManager one = lingering(network.url());
        LockManager other = LockManager.create(network.url())) {
      other.getLock("warm").lock();
      other.getLock("warm").unlock();
      one.getLock("k").lock();
      one.getLock("k").unlock();
      network.delay(EACH_WAY);
      long start = System.nanoTime();
      other.getLock("k").lock();
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      network.delay(Duration.ZERO);
      other.getLock("k").unlock();
      assertThat(taken)
          .as("there, to the one, back, to the other: four ways; a fifth would be 1.5 s")
          .isBetween(EACH_WAY.multipliedBy(4).minusMillis(5), EACH_WAY.multipliedBy(5));
    }
  }

  private static LockManager lingering(String url) {
    LockConfig config = LockConfig.builder().linger(Duration.ofSeconds(30)).build();
    return LockManager.builder(url).defaults(config).build();
  }

  private static List<String> commandsOfClients(RedisMonitor monitor) {
    return monitor.commands().stream()
        .filter(command -> !command.fromScript())
        .map(RedisMonitor.Command::name)
        .toList();
  }
}
