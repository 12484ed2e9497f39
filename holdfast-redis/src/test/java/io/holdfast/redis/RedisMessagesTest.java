package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockLoss;
import io.holdfast.LockManager;
import io.holdfast.metrics.InMemoryMetrics;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A connection for messages that fails while the one for commands works: the failure is detected,
 * reported and repaired, and until then no waiter is passed over.
 */
@Isolated
@Timeout(300)
class RedisMessagesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MOST_ROUNDS = 10;
  private static final String INBOXES = "&holdfast:inbox:*";

  private final RedisServer server = RedisServer.builder().start();
  private final FaultyProxy network = FaultyProxy.to(server);
  private final RespClient admin = server.client();
  private final Queue<LockEvent> findings = new ConcurrentLinkedQueue<>();
  private final InMemoryMetrics metrics = new InMemoryMetrics();
  private final LockManager direct = manager(server.url());
  private final LockManager other = manager(server.url());

  @AfterEach
  void close() {
    direct.close();
    other.close();
    network.close();
    admin.close();
    server.close();
  }

  // ---- detection and repair

  @ParameterizedTest
  @ValueSource(strings = {"the server has dropped it", "nothing comes back"})
  void aSilentMessageConnectionIsReplacedWhileAThreadWaits(String fault) {
    try (LockManager shaky = watched(network.url() + "?clientName=shaky")) {
      Lease held = direct.getLock("k").acquire();
      CompletableFuture<Lease> waiting = waiter(shaky, "k");
      int port = subscribedPorts("shaky").get(0);
      harm(fault, port);
      eventually().until(() -> subscribedPorts("shaky").stream().anyMatch(each -> each != port));
      assertThat(network.connectionsFromClients()).as("commands go on as before").isEqualTo(3);
      eventually().until(this::isReported);
      assertThat(metrics.snapshot().messagesLost()).isEqualTo(1);
      assertThat(metrics.snapshot().storeFindings()).containsKey(Finding.Kind.MESSAGES_LOST);
      held.close();
      get(waiting).close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"the server has dropped it", "nothing comes back"})
  void aSilentMessageConnectionIsReplacedWhileALockIsHeld(String fault) {
    try (LockManager shaky = watched(network.url() + "?clientName=shaky")) {
      Lease held = shaky.getLock("k").acquire();
      int port = subscribedPorts("shaky").get(0);
      harm(fault, port);
      eventually().until(() -> subscribedPorts("shaky").stream().anyMatch(each -> each != port));
      CompletableFuture<LockLoss> told = new CompletableFuture<>();
      held.onLost(told::complete);
      direct.getLock("k").forceUnlock();
      get(told); // by a message: the next renewal is minutes away
    }
  }

  @Test
  void aRefusedSubscriptionIsRestoredSoonAfterTheRightIsBack() {
    user(INBOXES);
    try (LockManager app = watched(server.url("app", "secret") + "?clientName=app")) {
      Lease held = app.getLock("orders:k").acquire();
      eventually().until(() -> subscribedPorts("app").size() == 1);
      user("");
      eventually().until(() -> !app.health().isHealthy());
      assertThat(app.health().reachable()).isTrue();
      assertThat(app.health().findings())
          .filteredOn(each -> each.kind() == Finding.Kind.MESSAGES_LOST)
          .singleElement()
          .satisfies(each -> assertThat(each.evidence()).contains("redis", "NOPERM"));
      assertThat(subscribedPorts("app")).isEmpty();
      assertThat(metrics.snapshot().messagesLost()).isEqualTo(1);
      user(INBOXES);
      eventually().until(() -> subscribedPorts("app").size() == 1);
      held.close();
    }
  }

  // ---- order of waiters

  @Test
  void aProcessWithoutMessagesGetsTheLockBeforeLaterOnes() {
    assertServedInTurn((manager, key) -> manager.getFairLock(key).acquireAsync());
  }

  @Test
  void aProcessWithoutMessagesGetsItsPermitBeforeLaterOnes() {
    assertServedInTurn((manager, key) -> manager.getSemaphore(key, 1).acquireAsync(1));
  }

  /** A process that is starved for longer than the claim window is passed over, and rightly. */
  private void assertServedInTurn(BiFunction<LockManager, String, CompletableFuture<Lease>> ask) {
    user(INBOXES);
    try (LockManager app = watched(server.url("app", "secret") + "?clientName=app")) {
      user(INBOXES + " -subscribe"); // the user may still publish
      admin.call("CLIENT", "KILL", "ID", subscribed("app", "id=(\\d+) ").get(0));
      boolean inTurn = false;
      for (int round = 0; round < MOST_ROUNDS && !inTurn; round++) {
        inTurn = isServedInTurn(app, "orders:" + round, ask);
      }
      assertThat(inTurn).isTrue();
    }
  }

  private boolean isServedInTurn(
      LockManager deafOne,
      String key,
      BiFunction<LockManager, String, CompletableFuture<Lease>> ask) {
    Lease first = get(ask.apply(direct, key));
    CompletableFuture<Lease> deaf = queued(key, () -> ask.apply(deafOne, key));
    String owner = queue(key).get(0);
    CompletableFuture<Lease> second = queued(key, () -> ask.apply(other, key));
    first.close();
    if (!isBefore(second, deaf)) { // the earlier waiter receives no messages
      closeInTurn(deaf, second);
      return false;
    }
    eventually().until(() -> queue(key).equals(List.of(owner))); // the waiter has asked again
    CompletableFuture<Lease> third = queued(key, () -> ask.apply(direct, key));
    get(second).close();
    boolean inTurn = isBefore(deaf, third);
    closeInTurn(inTurn ? deaf : third, inTurn ? third : deaf);
    return inTurn;
  }

  /** Which of two exclusive acquisitions is served first. */
  private static boolean isBefore(CompletableFuture<Lease> one, CompletableFuture<Lease> other) {
    get(CompletableFuture.anyOf(one, other));
    return one.isDone();
  }

  private static void closeInTurn(CompletableFuture<Lease> one, CompletableFuture<Lease> other) {
    get(one).close();
    get(other).close();
  }

  // ---- tools

  private CompletableFuture<Lease> waiter(LockManager manager, String key) {
    return queued(key, () -> manager.getFairLock(key).acquireAsync());
  }

  private CompletableFuture<Lease> queued(String key, Supplier<CompletableFuture<Lease>> ask) {
    int before = queue(key).size();
    CompletableFuture<Lease> waiting = ask.get();
    eventually().until(() -> queue(key).size() == before + 1);
    return waiting;
  }

  private List<String> queue(String key) {
    return admin.list("ZRANGE", "holdfast:queue:" + key, "0", "-1").stream()
        .map(String::valueOf)
        .toList();
  }

  private void harm(String fault, int port) {
    if (fault.equals("nothing comes back")) {
      network.swallowRepliesOf(port);
    } else {
      network.dropServerSideOf(port);
    }
  }

  private boolean isReported() {
    return findings.stream().anyMatch(event -> event.detail().startsWith("MESSAGES_LOST"));
  }

  /** Gives the user these channels, the channel of releases, and the other rights it needs. */
  private void user(String channels) {
    String rights =
        "ACL SETUSER app reset on >secret +@all ~orders:* ~holdfast:* &lock:release:* " + channels;
    admin.call(rights.strip().split(" "));
  }

  private LockManager watched(String url) {
    LockManager manager =
        LockManager.builder(patient(url)).defaults(longLeases()).metrics(metrics).build();
    manager.addListener(
        event -> {
          if (event.kind() == LockEvent.Kind.FINDING) {
            findings.add(event);
          }
        });
    return manager;
  }

  private static LockManager manager(String url) {
    return LockManager.builder(patient(url)).defaults(longLeases()).build();
  }

  private static LockConfig longLeases() {
    return LockConfig.builder().leaseTime(600).build();
  }

  /** The addresses of the subscribed connections with this name, as the server sees them. */
  private List<Integer> subscribedPorts(String name) {
    return subscribed(name, "addr=\\S*:(\\d+) ").stream().map(Integer::valueOf).toList();
  }

  private List<String> subscribed(String name, String field) {
    Pattern line = Pattern.compile(field + ".* name=" + name + " .* sub=1 ");
    Matcher matcher = line.matcher(String.valueOf(admin.call("CLIENT", "LIST")));
    return matcher.results().map(each -> each.group(1)).toList();
  }

  private static <T> T get(CompletableFuture<T> future) {
    return future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  private static ConditionFactory eventually() {
    return await().pollInSameThread().atMost(PATIENCE).pollInterval(Duration.ofMillis(5));
  }
}
