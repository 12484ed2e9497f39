package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewRequest.Resumption;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TimeSource;
import io.holdfast.spi.TokenBlock;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine through its interface: requests become data in Redis, and answers results. */
@Isolated
class RedisBackendTest {
  private static final long LEASE = 30_000;

  private final RedisServer server = RedisServer.shared();
  private final String key = "backend:" + UUID.randomUUID();
  private final Resource lock = Resource.lock(key);
  private final Resource readWrite = new Resource(Resource.Kind.READ_WRITE, key + ":rw");
  private final ClientIdentity identity =
      new ClientIdentity(UUID.randomUUID().toString(), "host", 42, "application");
  private final RespClient client = server.client();
  private final RedisBackend backend = open(server.url());

  private RedisBackend open(String url) {
    BackendContext context =
        new BackendContext(
            identity, new IgnoredSignals(), TimeSource.system(), (delay, task) -> () -> {});
    RedisURI uri = RedisURI.create(url);
    uri.setTimeout(Duration.ofSeconds(60));
    return new RedisBackend(uri, null, IoChoice.AUTOMATIC, LettuceClient.plainOptions(), context);
  }

  @AfterEach
  void close() {
    client.list("KEYS", "*" + key + "*").forEach(each -> client.call("DEL", String.valueOf(each)));
    client.close();
    backend.close();
  }

  // ---- grants and renewals

  @Test
  void aGrantAndARenewalHaveALease() {
    Owner owner = owner();
    AcquireResult.Granted granted = granted(acquire(lock, owner, Claim.EXCLUSIVE, ""));
    assertThat(granted.leaseMillis()).isEqualTo(LEASE);
    assertThat(get(backend.renew(List.of(renewal(lock, owner, Claim.EXCLUSIVE, 20_000, null)))))
        .containsExactly(new RenewResult.Renewed(20_000, false));
  }

  @Test
  void aVanishedLockIsResumedWithItsTokens() {
    Owner owner = owner();
    TokenBlock tokens = granted(acquire(lock, owner, Claim.EXCLUSIVE, "")).tokens();
    client.call("DEL", key);
    RenewRequest without = renewal(lock, owner, Claim.EXCLUSIVE, LEASE, null);
    assertThat(get(backend.renew(List.of(without)))).containsExactly(new RenewResult.Lost());
    Resumption resumption = new Resumption(tokens, "worker \u001f1");
    RenewRequest with = renewal(lock, owner, Claim.EXCLUSIVE, LEASE, resumption);
    assertThat(get(backend.renew(List.of(with))))
        .containsExactly(new RenewResult.Resumed(LEASE, false));
    LockSnapshot.Holder holder = get(backend.inspect(lock)).holders().get(0);
    assertThat(holder.owner()).isEqualTo(owner);
    assertThat(holder.token()).isEqualTo(tokens.first());
    assertThat(holder.thread()).isEqualTo("worker  1");
    assertThat(holder.client()).isEqualTo(identity);
  }

  @Test
  void aVanishedWriterIsResumedAndLearnsOfWaiters() {
    Owner writer = owner();
    TokenBlock tokens = granted(acquire(readWrite, writer, Claim.WRITE, "")).tokens();
    assertThat(acquire(readWrite, owner(), Claim.READ, "")).isInstanceOf(AcquireResult.Busy.class);
    client.call("DEL", readWrite.key());
    Resumption resumption = new Resumption(tokens, "writer");
    assertThat(
            get(backend.renew(List.of(renewal(readWrite, writer, Claim.WRITE, LEASE, resumption)))))
        .containsExactly(new RenewResult.Resumed(LEASE, true));
  }

  @Test
  void aWriterThatRenewsAsAReaderLetsReadersIn() {
    Owner writer = owner();
    Owner reader = owner();
    acquire(readWrite, writer, Claim.WRITE, "");
    assertThat(acquire(readWrite, reader, Claim.READ, "")).isInstanceOf(AcquireResult.Busy.class);
    assertThat(get(backend.renew(List.of(renewal(readWrite, writer, Claim.READ, LEASE, null)))))
        .containsExactly(new RenewResult.Renewed(LEASE, false));
    assertThat(get(backend.inspect(readWrite)).holders())
        .extracting(LockSnapshot.Holder::owner, LockSnapshot.Holder::amount)
        .containsExactlyInAnyOrder(tuple(writer, 1), tuple(reader, 1));
  }

  // ---- check

  @Test
  void aCheckAnswersInOrder() {
    Owner owner = owner();
    Owner reader = owner();
    acquire(lock, owner, Claim.EXCLUSIVE, "");
    acquire(readWrite, reader, Claim.READ, "");
    client.call("SET", key + ":text", "no lock");
    Resource text = Resource.lock(key + ":text");
    Resource textPool = new Resource(Resource.Kind.SEMAPHORE, key + ":text");
    assertThat(
            get(
                backend.check(
                    List.of(
                        new Holding(lock, owner),
                        new Holding(lock, owner()),
                        new Holding(readWrite, reader),
                        new Holding(readWrite, owner),
                        new Holding(text, owner),
                        new Holding(textPool, owner),
                        new Holding(Resource.lock(key + ":none"), owner)))))
        .containsExactly(true, false, true, false, false, false, false);
    assertThat(get(backend.check(List.of()))).isEmpty();
  }

  @Test
  void aCheckOfAPoolDependsOnTheHoldersOwnLease() {
    Owner brief = owner();
    Owner other = owner();
    get(backend.acquire(request(readWrite, brief, Claim.READ, 300, "")));
    acquire(readWrite, other, Claim.READ, "");
    List<Holding> both = List.of(new Holding(readWrite, brief), new Holding(readWrite, other));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> get(backend.check(both)).equals(List.of(false, true)));
    assertThat(client.call("HEXISTS", readWrite.key(), brief.toString()))
        .as("looking changes nothing")
        .isEqualTo(1L);
  }

  @Test
  void oneCommandChecksHundreds() {
    Owner owner = owner();
    acquire(lock, owner, Claim.EXCLUSIVE, "");
    List<Holding> holdings = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      holdings.add(new Holding(i % 7 == 0 ? lock : Resource.lock(key + i), owner));
    }
    List<Boolean> held = get(backend.check(holdings));
    assertThat(held).hasSize(500);
    for (int i = 0; i < 500; i++) {
      assertThat(held.get(i)).as("%d", i).isEqualTo(i % 7 == 0);
    }
  }

  @Test
  void withoutAnAnswerNothingIsHeldLostOrAlive() {
    try (FaultyProxy proxy = FaultyProxy.to(server)) {
      RedisBackend far = open(proxy.url());
      try {
        assertThat(get(far.ping())).isEqualTo("PONG");
        proxy.refuse();
        List<Holding> holdings = List.of(new Holding(lock, owner()));
        for (CompletionStage<?> answer : List.of(far.ping(), far.check(holdings))) {
          assertThatThrownBy(() -> get(answer))
              .isInstanceOf(CompletionException.class)
              .cause()
              .isNotInstanceOf(BackendException.class);
        }
      } finally {
        far.close();
      }
    }
  }

  // ---- notes

  @Test
  void theNoteOfTheLastAttemptIsShownAndVanishesWithTheWaiter() {
    Owner holder = owner();
    Owner waiter = owner();
    acquire(lock, holder, Claim.EXCLUSIVE, "not kept");
    acquire(lock, waiter, Claim.EXCLUSIVE, "first");
    assertThat(noteIn(lock)).isEqualTo("first");
    acquire(lock, waiter, Claim.EXCLUSIVE, "second");
    assertThat(noteIn(lock)).isEqualTo("second");
    acquire(lock, waiter, Claim.EXCLUSIVE, "");
    assertThat(noteIn(lock)).isEmpty();
  }

  @Test
  void aNoteMayBeAnyText() {
    Owner waiter = owner();
    acquire(lock, owner(), Claim.EXCLUSIVE, "");
    acquire(readWrite, owner(), Claim.WRITE, "");
    String hostile = "a\u001fb\u001f9\u001f\u0000 %d %1\n\"\\ \ud83d\ude00 \u4e2d";
    for (Resource resource : List.of(lock, readWrite)) {
      Claim claim = resource.equals(lock) ? Claim.EXCLUSIVE : Claim.READ;
      acquire(resource, waiter, claim, hostile);
      assertThat(noteIn(resource)).isEqualTo(hostile.replace('\u001f', ' '));
      acquire(resource, waiter, claim, "x".repeat(100_000));
      assertThat(noteIn(resource)).isEqualTo("x".repeat(AcquireRequest.LONGEST_NOTE));
      LockSnapshot.Waiter seen = get(backend.inspect(resource)).waiters().get(0);
      assertThat(seen.thread()).isEqualTo("thread");
      assertThat(seen.client()).isEqualTo(identity);
      assertThat(seen.owner()).isEqualTo(waiter);
    }
  }

  @Test
  void aHolderHasNoNote() {
    Owner holder = owner();
    Owner waiter = owner();
    acquire(lock, holder, Claim.EXCLUSIVE, "");
    acquire(lock, waiter, Claim.EXCLUSIVE, "secret");
    get(backend.release(new ReleaseRequest(lock, holder)));
    LockSnapshot.Holder now = get(backend.inspect(lock)).holders().get(0);
    assertThat(now.owner()).isEqualTo(waiter);
    assertThat(now.thread()).isEqualTo("thread");
    assertThat(client.list("HVALS", key).toString()).doesNotContain("secret");
  }

  private String noteIn(Resource resource) {
    return get(backend.inspect(resource)).waiters().get(0).note();
  }

  // ---- tools

  private Owner owner() {
    return new Owner(identity.clientId(), UUID.randomUUID().toString());
  }

  private static AcquireRequest request(
      Resource resource, Owner owner, Claim claim, long lease, String note) {
    return new AcquireRequest(resource, owner, claim, lease, "thread", true, 30_000, note);
  }

  private AcquireResult acquire(Resource resource, Owner owner, Claim claim, String note) {
    return get(backend.acquire(request(resource, owner, claim, LEASE, note)));
  }

  private static AcquireResult.Granted granted(AcquireResult result) {
    assertThat(result).isInstanceOf(AcquireResult.Granted.class);
    return (AcquireResult.Granted) result;
  }

  private static RenewRequest renewal(
      Resource resource, Owner owner, Claim claim, long lease, @Nullable Resumption resumption) {
    return new RenewRequest(resource, owner, claim, lease, resumption);
  }

  private static <T> T get(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }
}
