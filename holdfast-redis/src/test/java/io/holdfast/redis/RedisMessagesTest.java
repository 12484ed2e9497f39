package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Finding;
import io.holdfast.InMemoryMetrics;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockLoss;
import io.holdfast.LockManager;
import io.holdfast.testkit.FaultyProxy;
import io.holdfast.testkit.RedisServer;
import io.holdfast.testkit.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
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
 * A connection for messages that fails while the one for commands works: it is noticed, told and
 * repaired, and until then nobody is passed over.
 */
@Isolated
@Timeout(300)
class RedisMessagesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
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

  // ---- noticed and repaired

  @ParameterizedTest
  @ValueSource(strings = {"the server has dropped it", "nothing comes back"})
  void aMessageConnectionThatDiesUnnoticedIsReplacedWhileSomebodyWaits(String fault) {
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
  void aMessageConnectionThatDiesUnnoticedIsReplacedWhileSomethingIsHeld(String fault) {
    try (LockManager shaky = watched(network.url() + "?clientName=shaky")) {
      Lease held = shaky.getLock("k").acquire();
      int port = subscribedPorts("shaky").get(0);
      harm(fault, port);
      eventually().until(() -> subscribedPorts("shaky").stream().anyMatch(each -> each != port));
      CompletableFuture<LockLoss> told = new CompletableFuture<>();
      held.onLost(told::complete);
      direct.getLock("k").forceUnlock();
      get(told); // by message: the next renewal is minutes away
    }
  }

  @Test
  void aSubscriptionThatIsRefusedOnceIsThereSoonAfterTheRightIsBack() {
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

  // ---- nobody is passed over

  @Test
  void aProcessThatNoMessageReachesHasItsTurnBeforeThoseWhoComeLater() {
    user(INBOXES);
    try (LockManager app = watched(server.url("app", "secret") + "?clientName=app")) {
      user(INBOXES + " -subscribe"); // it may still publish
      admin.call("CLIENT", "KILL", "ID", subscribed("app", "id=(\\d+) ").get(0));
      Lease first = direct.getFairLock("orders:k").acquire();
      CompletableFuture<Lease> deaf = waiter(app, "orders:k");
      String owner = queue("orders:k").get(0);
      CompletableFuture<Lease> second = waiter(other, "orders:k");
      first.close();
      Lease held = get(second); // the one before it does not hear
      eventually().until(() -> queue("orders:k").equals(List.of(owner))); // and has asked again
      CompletableFuture<Lease> third = waiter(direct, "orders:k");
      held.close();
      Lease its = get(deaf);
      assertThat(third).isNotDone();
      its.close();
      get(third).close();
    }
  }

  @Test
  void aProcessThatNoMessageReachesHasItsPermitBeforeThoseWhoComeLater() {
    user(INBOXES);
    try (LockManager app = watched(server.url("app", "secret") + "?clientName=app")) {
      user(INBOXES + " -subscribe"); // it may still publish
      admin.call("CLIENT", "KILL", "ID", subscribed("app", "id=(\\d+) ").get(0));
      Lease first = permit(direct).acquire();
      CompletableFuture<Lease> deaf = permit(app).acquireAsync(1);
      eventually().until(() -> queue("orders:s").size() == 1);
      String owner = queue("orders:s").get(0);
      CompletableFuture<Lease> second = permit(other).acquireAsync(1);
      eventually().until(() -> queue("orders:s").size() == 2);
      first.close();
      Lease held = get(second);
      eventually().until(() -> queue("orders:s").equals(List.of(owner)));
      CompletableFuture<Lease> third = permit(direct).acquireAsync(1);
      eventually().until(() -> queue("orders:s").size() == 2);
      held.close();
      Lease its = get(deaf);
      assertThat(third).isNotDone();
      its.close();
      get(third).close();
    }
  }

  private static DistributedSemaphore permit(LockManager manager) {
    return manager.getSemaphore("orders:s", 1);
  }

  // ---- what the tests are made of

  private CompletableFuture<Lease> waiter(LockManager manager, String key) {
    int before = queue(key).size();
    DistributedLock lock = manager.getFairLock(key);
    CompletableFuture<Lease> waiting = lock.acquireAsync();
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

  /** Gives the user these channels beside that of releases, and what else it needs. */
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

  /** Where the subscribed connections of this name come from, as the server sees it. */
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
