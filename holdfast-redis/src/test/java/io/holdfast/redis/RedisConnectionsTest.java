package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.connect;
import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import reactor.core.Disposable;

/** A manager's use of a server and of a lent client, and its state after closing. */
@Isolated
@Timeout(300)
class RedisConnectionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String key = "connections:" + UUID.randomUUID();
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

  // ---- connections

  @Test
  void aManagerThatFailsToOpenLeavesNoThread() {
    RedisURI noTime = RedisURI.create(server.url());
    noTime.setTimeout(Duration.ZERO);
    RedisURI nobodyThere = RedisURI.create("redis://localhost:1");
    for (RedisURI uri : List.of(noTime, nobodyThere)) {
      Set<Thread> before = ioThreads();
      assertThatThrownBy(
          () ->
              LockManager.builder(patient(server.url()))
                  .engine(RedisBackendProvider.of(uri, ClientOptions.create()))
                  .build());
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(before).containsAll(ioThreads()));
    }
  }

  private static Set<Thread> ioThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("holdfast-redis-io"))
        .collect(Collectors.toSet());
  }

  @Test
  void aManagerHasOneConnectionForCommandsAndOneForMessagesHoweverManyLocks() {
    try (LockManager manager = LockManager.create(patient(server.url()));
        LockManager elsewhere =
            LockManager.create(patient(server.url() + "?clientName=elsewhere"))) {
      List<DistributedLock> held = new ArrayList<>();
      List<Future<Boolean>> waiting = new ArrayList<>();
      List<OtherThread> threads = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String each = key + i;
        DistributedLock lock = elsewhere.getLock(each);
        lock.lock();
        held.add(lock);
        OtherThread thread = new OtherThread("waiter-" + i);
        threads.add(thread);
        waiting.add(thread.startRun(() -> manager.getLock(each).lock()));
      }
      await()
          .atMost(PATIENCE)
          .until(() -> admin.list("KEYS", "holdfast:queue:*").size() == held.size());
      awaitConnections(2);
      assertThat(connections("holdfast")).filteredOn(c -> c.contains(" sub=1 ")).hasSize(1);
      held.forEach(DistributedLock::unlock);
      waiting.forEach(OtherThread::get);
      awaitConnections(2);
      threads.forEach(OtherThread::close);
    }
    noConnectionsAreLeft();
  }

  @Test
  void healthReportsTheOpenConnections() {
    try (LockManager manager = LockManager.create(patient(server.url()))) {
      assertThat(manager.health().connections()).isEqualTo(2);
      admin.call("CLIENT", "KILL", "TYPE", "pubsub");
      await().atMost(PATIENCE).until(() -> manager.health().reconnects() > 0);
      await().atMost(PATIENCE).until(() -> manager.health().connections() == 2);
      server.stop();
      await().atMost(PATIENCE).until(() -> manager.health().connections() == 0);
      server.start();
      await().atMost(PATIENCE).until(() -> manager.health().connections() == 2);
      admin.close();
      admin = server.client();
      awaitConnections(2);
    }
  }

  @Test
  void everyManagerHasItsOwnConnections() {
    try (LockManager first = LockManager.create(patient(server.url()));
        LockManager second = LockManager.create(patient(server.url()))) {
      assertThat(first.getLock(key).tryLock()).isTrue();
      assertThat(second.getLock(key).tryLock()).isFalse();
      awaitConnections(4);
    }
    noConnectionsAreLeft();
  }

  @Test
  void aManagerThatFailsToOpenLeavesNoConnection() {
    admin.call("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all", "-subscribe");
    assertThatThrownBy(() -> LockManager.create(patient(server.url("app", "secret"))))
        .isInstanceOf(StoreException.class);
    noConnectionsAreLeft();
  }

  @Test
  void newConnectionsAreClosedWhenTheReplacementOfSilentOnesFails() {
    admin.call("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all");
    String impatient = server.url("app", "secret") + "?timeout=3s&clientName=holdfast";
    try (LockManager manager = connect(LockManager.builder(impatient))) {
      awaitConnections(2);
      admin.call("ACL", "SETUSER", "app", "-subscribe");
      server.pause();
      try {
        assertThatThrownBy(() -> manager.getLock(key).tryLock())
            .isInstanceOf(StoreUnavailableException.class);
      } finally {
        server.resume();
      }
      await().atMost(PATIENCE).until(() -> !admin.list("ACL", "LOG").isEmpty());
      awaitConnections(2);
    }
    noConnectionsAreLeft();
  }

  // ---- a client of the application

  @Test
  void aLentClientIsUsedAndStaysOpen() {
    RedisURI uri = RedisURI.create(server.url());
    RedisClient client = RedisClient.create(uri);
    Queue<Event> events = new ConcurrentLinkedQueue<>();
    Disposable listening = client.getResources().eventBus().get().subscribe(events::add);
    try {
      try (LockManager manager =
          LockManager.builder("redis://ignored")
              .engine(RedisBackendProvider.using(client, uri))
              .build()) {
        DistributedLock lock = manager.getLock(key);
        lock.lock();
        assertThat(admin.call("EXISTS", key)).isEqualTo(1L);
        lock.unlock();
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    events.stream().filter(ConnectionActivatedEvent.class::isInstance).count()
                        == 2);
      }
      try (StatefulRedisConnection<String, String> connection = client.connect()) {
        assertThat(connection.sync().ping()).isEqualTo("PONG");
      }
      noConnectionsAreLeft();
    } finally {
      listening.dispose();
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  @Test
  void aLentClientServesSeveralManagersAndItsOwnCommands() throws Exception {
    RedisURI uri = RedisURI.create(server.url());
    RedisClient client = RedisClient.create(uri);
    try (StatefulRedisConnection<String, String> own = client.connect();
        LockManager second = borrowing(client, uri)) {
      try (LockManager first = borrowing(client, uri)) {
        assertThat(first.getLock(key).tryLock()).isTrue();
        assertThat(second.getLock(key).tryLock()).isFalse();
      }
      assertThat(second.getLock(key).tryLock(PATIENCE)).isTrue();
      assertThat(own.sync().exists(key)).isEqualTo(1L);
      second.getLock(key).unlock();
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  private static LockManager borrowing(RedisClient client, RedisURI uri) {
    return LockManager.builder("redis://ignored")
        .engine(RedisBackendProvider.using(client, uri))
        .build();
  }

  // ---- a server in trouble

  @Test
  void aKeyOfAnotherTypeIsNamedAndNotChanged() {
    admin.call("SET", key, "precious");
    LockConfig shortLease = LockConfig.builder().leaseTime(Duration.ofMillis(500)).build();
    try (LockManager manager =
        LockManager.builder(patient(server.url())).defaults(shortLease).build()) {
      DistributedLock lock = manager.getLock(key);
      List<Runnable> attempts =
          List.of(
              lock::lock,
              lock::tryLock,
              lock::acquire,
              () -> lock.info(),
              lock::isLocked,
              lock::forceUnlock);
      for (Runnable attempt : attempts) {
        assertThatThrownBy(attempt::run)
            .isInstanceOf(StoreException.class)
            .hasMessageContainingAll("'" + key + "'", "not a lock", "another key");
      }
    }
    assertThat(admin.call("GET", key)).isEqualTo("precious");
    assertThat(admin.call("PTTL", key)).isEqualTo(-1L);
    assertThat(admin.list("KEYS", "holdfast:*:*")).isEmpty();
  }

  @Test
  void aFenceOfAnotherTypeIsNamed() {
    admin.call("RPUSH", "holdfast:fence", "strange");
    try (LockManager manager = LockManager.create(patient(server.url()))) {
      assertThatThrownBy(() -> manager.getLock(key).lock())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("holdfast:fence");
    }
  }

  @Test
  void aServerOutOfMemoryGrantsNothingAndStillReleasesLocks() {
    try (LockManager manager = LockManager.create(patient(server.url()))) {
      DistributedLock held = manager.getLock(key + ":held");
      DistributedLock contended = manager.getLock(key + ":wanted");
      held.lock();
      admin.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
      admin.call("CONFIG", "SET", "maxmemory", "1");
      assertThatThrownBy(contended::lock)
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll(contended.key(), "out of memory", "maxmemory");
      assertThat(held.isHeldByCurrentThread()).isTrue();
      held.unlock();
      assertThat(admin.call("EXISTS", held.key(), contended.key())).isEqualTo(0L);

      admin.call("CONFIG", "SET", "maxmemory", "0");
      contended.lock();
      contended.unlock();
    }
  }

  private List<String> connections(String name) {
    return String.valueOf(admin.call("CLIENT", "LIST"))
        .lines()
        .filter(line -> line.contains(" name=" + name + " "))
        .toList();
  }

  private void awaitConnections(int number) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(connections("holdfast")).hasSize(number));
  }

  private void noConnectionsAreLeft() {
    await()
        .atMost(PATIENCE)
        .until(() -> String.valueOf(admin.call("CLIENT", "LIST")).lines().count() == 1);
  }
}
