package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RedisSubscription;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The data layout and the published messages, on which applications may rely. */
@Isolated
class RedisDataTest {
  private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

  private final RedisServer server = RedisServer.shared();

  @Test
  void aLockIsAHashWithItsOwnerItsHoldCountAndATimeToLive() {
    try (LockManager manager = LockManager.create(patient(server.url()));
        RespClient client = server.client()) {
      DistributedLock lock = manager.getLock("user:profile:1001");
      lock.lock();
      assertThat(client.call("TYPE", "user:profile:1001")).isEqualTo("hash");
      List<String> owners = new ArrayList<>();
      for (Object field : client.list("HKEYS", "user:profile:1001")) {
        if (!String.valueOf(field).startsWith("@")) {
          owners.add(String.valueOf(field));
        }
      }
      assertThat(owners).singleElement().asString().matches(UUID + ":.+");
      assertThat(client.call("HGET", "user:profile:1001", owners.get(0))).isEqualTo("1");
      assertThat((Long) client.call("PTTL", "user:profile:1001")).isBetween(1L, 30_000L);
      lock.unlock();
      assertThat(client.call("EXISTS", "user:profile:1001")).isEqualTo(0L);
    }
  }

  @Test
  void aReleaseIsPublishedOnTheChannelOfTheLock() {
    try (LockManager manager = LockManager.create(patient(server.url()));
        RespClient client = server.client();
        RedisSubscription released = client.subscribe("lock:release:user:profile:1001")) {
      DistributedLock lock = manager.getLock("user:profile:1001");
      lock.lock();
      String owner = lock.info().holder().orElseThrow().owner();
      lock.unlock();
      String message = released.next(Duration.ofSeconds(60));
      assertThat(field(message, "lockKey", "\"([^\"]*)\"")).isEqualTo("user:profile:1001");
      assertThat(field(message, "holder", "\"([^\"]*)\"")).isEqualTo(owner);
      long time = Long.parseLong(field(message, "releaseTime", "(\\d+)"));
      assertThat(Math.abs(time - System.currentTimeMillis())).isLessThan(60_000);
    }
  }

  @Test
  void theFenceExplainsItselfAndIsATableFromTheFirstLockOn() {
    try (LockManager manager = LockManager.create(patient(server.url()));
        RespClient client = server.client()) {
      client.call("DEL", "holdfast:fence");
      manager.getLock("user:profile:1001").acquire().close();
      assertThat(client.call("HLEN", "holdfast:fence")).isEqualTo(2L);
      assertThat(client.call("HGET", "holdfast:fence", "@about"))
          .asString()
          .startsWith("Holdfast")
          .hasSizeGreaterThan(64);
      assertThat(client.call("OBJECT", "ENCODING", "holdfast:fence")).isEqualTo("hashtable");
    }
  }

  private static String field(String json, String name, String value) {
    Matcher matcher = Pattern.compile("\"" + name + "\":" + value).matcher(json);
    assertThat(matcher.find()).as("%s in %s", name, json).isTrue();
    return matcher.group(1);
  }
}
