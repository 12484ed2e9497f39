package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an interrupted thread leaves of a manager: no key, no connection, no thread. */
@Isolated
@Timeout(300)
class RedisClosingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int ROUNDS = 7;

  private final String key = "closing:" + UUID.randomUUID();
  private RedisServer server;
  private RespClient admin;

  @BeforeEach
  void start() {
    server = RedisServer.builder().start();
    admin = server.client();
  }

  @AfterEach
  void stop() {
    admin.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"caller", "netty"})
  void closesEverythingOnAnInterruptedThread(String io) {
    Set<Thread> before = threads();
    LockConfig config = LockConfig.builder().lockKey(key).leaseTime(Duration.ofMinutes(10)).build();
    for (int i = 0; i < ROUNDS; i++) {
      LockManager manager = LockManager.create(patient(server.url() + "?io=" + io));
      manager.getLock(config).acquire();
      Thread.currentThread().interrupt();
      manager.close();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(admin.call("EXISTS", key)).isEqualTo(0L);
      nothingIsConnected();
    }
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(before).containsAll(threads()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"caller", "netty"})
  void leavesNothingOfAManagerThatAnInterruptedThreadMakes(String io) {
    Set<Thread> before = threads();
    for (int i = 0; i < ROUNDS; i++) {
      Thread.currentThread().interrupt();
      connectAndClose(server.url() + "?io=" + io);
      assertThat(Thread.interrupted()).isTrue();
    }
    nothingIsConnected();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(before).containsAll(threads()));
  }

  /** What is there before it has to be waited for is used. */
  private static void connectAndClose(String url) {
    try (LockManager manager = LockManager.create(patient(url))) {
      assertThat(manager.health().connections()).isEqualTo(2);
    } catch (StoreException e) {
      assertThat(e).hasMessageContaining("interrupted while connecting");
    }
  }

  private void nothingIsConnected() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(String.valueOf(admin.call("CLIENT", "LIST")).lines())
                    .filteredOn(line -> !line.contains("cmd=client")) // the operator
                    .isEmpty());
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("(holdfast-(?!testkit)|lettuce|netty).*"))
        .collect(Collectors.toSet());
  }
}
