package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.FakeClock;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.RedisMonitor;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** The cost of hand-overs of write locks and permits inside a process, as the server sees it. */
@Isolated
@Timeout(300)
class RedisHandoffTest {
  private static final int THREADS = 16;
  private static final int TURNS = 50;

  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();
  private LockManager manager;

  @BeforeEach
  void connect() {
    LockConfig notRenewed = LockConfig.builder().leaseTime(600).build();
    FakeClock standsStill = new FakeClock(); // so that no hold lasts too long for a hand-over
    manager =
        standsStill.drive(LockManager.builder(patient(server.url()))).defaults(notRenewed).build();
  }

  @AfterEach
  void close() {
    manager.close();
    client.close();
    server.close();
  }

  private static CompletableFuture<Long> token(CompletableFuture<Lease> coming) {
    return coming.thenCompose(lease -> lease.closeAsync().thenApply(closed -> lease.token()));
  }

  @Test
  void handingTheWriteLockOverCostsNoCommandEvenWithReadersInBetween() {
    DistributedReadWriteLock lock = manager.getReadWriteLock("k");
    Lease held = lock.writeLock().acquire();
    List<CompletableFuture<Long>> tokens = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      DistributedLock side = i % 10 == 9 || i % 10 == 4 ? lock.writeLock() : lock.readLock();
      tokens.add(token(side.acquireAsync())); // the last acquisition is a writer
    }
    try (RedisMonitor monitor = client.monitor()) {
      held.close();
      List<Long> seen = tokens.stream().map(CompletableFuture::join).toList();
      assertThat(seen).isSorted().doesNotHaveDuplicates();
      client.call("PING");
      assertThat(commands(monitor)).containsExactly("EVALSHA", "PING");
    }
  }

  @Test
  void readersAfterTheLastWriterCostOneCommandTogether() {
    DistributedReadWriteLock lock = manager.getReadWriteLock("k");
    Lease held = lock.writeLock().acquire();
    List<CompletableFuture<Lease>> readers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      readers.add(lock.readLock().acquireAsync());
    }
    try (RedisMonitor monitor = client.monitor()) {
      held.close();
      readers.forEach(CompletableFuture::join);
      eventually().until(() -> commands(monitor).size() == 1);
      readers.forEach(reader -> reader.join().close());
      client.call("PING");
      assertThat(commands(monitor)).containsExactly("EVALSHA", "EVALSHA", "PING");
    }
  }

  @Test
  void handingPermitsOverCostsNoCommand() {
    String releaseScript = scriptOfARelease();
    long began = System.nanoTime();
    DistributedSemaphore semaphore = manager.getSemaphore("k", 2);
    Lease one = semaphore.acquire();
    Lease other = semaphore.acquire();
    List<CompletableFuture<Long>> tokens = new ArrayList<>();
    tokens.add(token(semaphore.acquireAsync(1)));
    eventually().until(() -> semaphore.info().waiters().size() == 1);
    for (int i = 1; i < 100; i++) {
      tokens.add(token(semaphore.acquireAsync(1)));
    }
    assertThat(semaphore.info().localWaiters()).isEqualTo(99);
    try (RedisMonitor monitor = client.monitor()) {
      one.close();
      assertThat(tokens.stream().map(CompletableFuture::join)).doesNotHaveDuplicates();
      other.close();
      eventually().until(() -> client.list("KEYS", "holdfast:queue:*").isEmpty());
      // Two releases, and one waiter that was served locally and leaves the queue. If the last
      // release arrives before the waiter has left, the store grants it a permit, which is released
      // when the message arrives. A waiter that was in the queue for a second has asked once more.
      Map<String, Long> callsByScript =
          monitor.commands().stream()
              .filter(command -> !command.fromScript() && command.name().equals("EVALSHA"))
              .collect(Collectors.groupingBy(c -> c.words().get(1), Collectors.counting()));
      long releases = callsByScript.getOrDefault(releaseScript, 0L);
      assertThat(releases).isBetween(3L, 4L);
      long questions = callsByScript.values().stream().mapToLong(calls -> calls).sum() - releases;
      assertThat(questions).isLessThanOrEqualTo(mostLooksSince(began));
    }
  }

  @Test
  void sixteenThreadsNeedFarLessThanOneCommandForAWriteLock() {
    DistributedLock lock = manager.getReadWriteLock("k").writeLock();
    Lease held = lock.acquire();
    long commands =
        commandsOfManyThreads(
            () -> lock.info().localWaiters(),
            held::close,
            () -> {
              lock.lock();
              LockSupport.parkNanos(50_000);
              lock.unlock();
            });
    assertThat(commands).isLessThan(THREADS * TURNS / 10);
  }

  @Test
  void sixteenThreadsNeedFarLessThanOneCommandForAPermit() {
    DistributedSemaphore semaphore = manager.getSemaphore("k", 4);
    Lease held = semaphore.acquire(4);
    long began = System.nanoTime();
    long commands =
        commandsOfManyThreads(
            () -> semaphore.info().localWaiters() + semaphore.info().waiters().size(),
            held::close,
            () -> {
              Lease lease = semaphore.acquire();
              LockSupport.parkNanos(50_000);
              lease.close();
            });
    assertThat(commands).isLessThan(THREADS * TURNS / 5 + mostLooksSince(began));
  }

  /**
   * Commands from the moment when all threads wait. The turns are shared: a thread that the machine
   * has kept back would be alone at the end otherwise, and its turns cost the usual two commands.
   */
  private long commandsOfManyThreads(IntSupplier waiting, Runnable begin, OtherThread.Action turn) {
    List<OtherThread> threads = new ArrayList<>();
    try (RedisMonitor monitor = client.monitor()) {
      List<Future<Boolean>> running = new ArrayList<>();
      AtomicInteger turns = new AtomicInteger(THREADS * TURNS);
      for (int i = 0; i < THREADS; i++) {
        OtherThread thread = new OtherThread("thread " + i);
        threads.add(thread);
        running.add(
            thread.startRun(
                () -> {
                  while (turns.getAndDecrement() > 0) {
                    turn.run();
                  }
                }));
      }
      eventually().until(() -> waiting.getAsInt() == THREADS);
      monitor.clear();
      begin.run();
      running.forEach(OtherThread::get);
      client.call("PING");
      long commands = commands(monitor).stream().filter("EVALSHA"::equals).count();
      return commands;
    } finally {
      threads.forEach(OtherThread::close);
    }
  }

  /** The command that releases permits. */
  private String scriptOfARelease() {
    Lease any = manager.getSemaphore("any", 1).acquire();
    try (RedisMonitor monitor = client.monitor()) {
      any.close();
      return monitor.commands().stream()
          .filter(command -> command.name().equals("EVALSHA"))
          .findFirst()
          .orElseThrow()
          .words()
          .get(1);
    }
  }

  /** A waiter asks once a second, less a jitter of 10 %. */
  private static long mostLooksSince(long began) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) / 900;
  }

  private static ConditionFactory eventually() {
    return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5));
  }

  /** Without the commands that scripts call. */
  private static List<String> commands(RedisMonitor monitor) {
    return monitor.commands().stream()
        .filter(command -> !command.fromScript() && !command.name().equals("SUBSCRIBE"))
        .map(RedisMonitor.Command::name)
        .toList();
  }
}
