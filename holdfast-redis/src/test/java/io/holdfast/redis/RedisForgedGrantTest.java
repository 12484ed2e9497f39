package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockLoss;
import io.holdfast.LockManager;
import io.holdfast.spi.TokenBlock;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Anyone who may publish can write into an inbox. No token depends on such messages. */
@Isolated
@Timeout(240)
class RedisForgedGrantTest {
  private static final long ENORMOUS_TICK = (1L << 52) - 1;
  private static final Duration SOON = Duration.ofSeconds(60);

  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();
  private final LockManager manager = LockManager.create(patient(server.url()));
  private final LockManager innocent = LockManager.create(patient(server.url()));

  @AfterEach
  void close() {
    manager.close();
    innocent.close();
    client.close();
    server.close();
  }

  @Test
  void aForgedGrantWithAnEnormousTickDoesNotDisturbTheTokensOfLaterGrants() {
    Lease before = manager.getLock("k").acquire();
    String clientId = clientOf(manager.getLock("k"));
    CompletableFuture<LockLoss> decoyTold = new CompletableFuture<>();
    manager.getLock("decoy").acquire().onLost(decoyTold::complete);

    forge(clientId, clientId + ":nobody", "another");
    forge(clientId, clientId + ":nobody", "k");
    forge(clientId, ownerOf(manager.getLock("k")), "k");
    innocent.getLock("decoy").forceUnlock(); // its message comes after the forged ones
    assertThat(decoyTold).succeedsWithin(SOON);

    assertThat(before.isValid()).isTrue();
    before.close();
    assertTokensGoOnFrom(before.token());
  }

  private void forge(String clientId, String owner, String key) {
    String now = String.valueOf(1000 * System.currentTimeMillis());
    String tick = Long.toString(ENORMOUS_TICK);
    for (List<String> message :
        List.of(
            List.of("granted", owner, tick, now, "1500", "0", "lock", key),
            List.of("granted", owner, tick, "1", "1500", "0", "lock", key),
            List.of("granted", owner, tick, now, "1500", "0", key))) {
      client.call("PUBLISH", "holdfast:inbox:" + clientId, String.join("\u001f", message));
    }
  }

  private void assertTokensGoOnFrom(long token) {
    long last = token;
    for (LockManager each : List.of(manager, innocent, manager, innocent)) {
      try (Lease lease = each.getLock("k").acquire()) {
        assertThat(lease.token()).isGreaterThan(last);
        last = lease.token();
      }
    }
    assertThat(last).isLessThan(TokenBlock.ofTick(ENORMOUS_TICK).first());
    assertThat(client.list("HVALS", "holdfast:fence"))
        .as("the last ticks in the server are of its clock")
        .filteredOn(value -> !value.equals(client.call("HGET", "holdfast:fence", "@about")))
        .isNotEmpty()
        .allSatisfy(
            tick ->
                assertThat(Long.parseLong(String.valueOf(tick)))
                    .isLessThan(
                        1000 * (System.currentTimeMillis() + Duration.ofHours(1).toMillis())));
  }

  private static String clientOf(DistributedLock lock) {
    String owner = ownerOf(lock);
    return owner.substring(0, owner.indexOf(':'));
  }

  private static String ownerOf(DistributedLock lock) {
    return lock.info().holder().orElseThrow().owner();
  }
}
