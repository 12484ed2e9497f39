package io.holdfast;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A thread that has a lease and waits for the same lock is told so at once. */
@Isolated // it reads the error stream
@Timeout(600)
class SelfWaitTest {
  private static final String MARK = "WARN io.holdfast.lock - ";
  private static final Duration A_MOMENT = Duration.ofMillis(30);

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final MemoryStore store = new MemoryStore(TimeSource.system());
  private final List<LockEvent> events = new CopyOnWriteArrayList<>();
  private final LockManager manager =
      LockManager.builder("memory:")
          .engine(new MemoryBackendProvider(store))
          .listener(events::add)
          .defaults(
              LockConfig.builder()
                  .watchdogPeriod(Duration.ofMillis(20))
                  .waitAlert(Duration.ofMillis(20))
                  .build())
          .build();

  SelfWaitTest() {
    System.setErr(new PrintStream(written, true, UTF_8));
  }

  @AfterEach
  void close() {
    System.setErr(before);
    manager.close();
  }

  private List<String> warnings() {
    return written
        .toString(UTF_8)
        .lines()
        .filter(line -> line.contains(MARK))
        .map(line -> line.substring(line.indexOf(MARK) + MARK.length()))
        .toList();
  }

  private static String thread() {
    return Thread.currentThread().getName();
  }

  private static String sentence(Lease lease) {
    return "thread '%s' waits for what it holds itself by a lease (token %d): a lease is not reentrant"
        .formatted(thread(), lease.token());
  }

  @Test
  void aLeaseAndThenTheLockIsWarnedOfOnceForEachLease() throws Exception {
    DistributedLock lock = manager.getLock("k");
    Lease lease = lock.acquire();

    assertThat(lock.tryLock(A_MOMENT)).isFalse();
    assertThat(lock.tryLock(A_MOMENT)).isFalse();

    assertThat(warnings()).singleElement().asString().startsWith("lock 'k': " + sentence(lease));
    lease.close();
    Lease next = lock.acquire();
    assertThat(lock.tryAcquire(A_MOMENT)).isEmpty();
    assertThat(warnings()).hasSize(2).last().asString().contains(sentence(next));
    next.close();
  }

  @Test
  void theTimeoutSaysSoToo() {
    DistributedLock lock = manager.getLock("k");
    try (Lease lease = lock.acquire()) {
      assertThatThrownBy(() -> lock.waitUpTo(A_MOMENT).run(() -> {}))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("gave up after 30 ms; " + sentence(lease));
    }
  }

  @Test
  void theFindingOfALongWaitSaysSoToo() {
    DistributedLock lock = manager.getLock("k");
    Lease lease = lock.acquire();
    CompletableFuture<Void> closedByAnother =
        CompletableFuture.runAsync(
            () -> {
              await().until(() -> detailOf(LockEvent.Kind.WAITING_LONG) != null);
              lease.close();
            });

    lock.lock();

    lock.unlock();
    closedByAnother.join();
    assertThat(detailOf(LockEvent.Kind.WAITING_LONG)).contains(sentence(lease));
  }

  private @Nullable String detailOf(LockEvent.Kind kind) {
    return events.stream()
        .filter(event -> event.kind() == kind)
        .map(LockEvent::detail)
        .findFirst()
        .orElse(null);
  }

  @Test
  void aWriterThatReadsByALeaseIsTold() throws Exception {
    DistributedReadWriteLock lock = manager.getReadWriteLock("rw");
    try (Lease reading = lock.readLock().acquire()) {
      assertThat(lock.writeLock().tryLock(A_MOMENT)).isFalse();
      assertThat(warnings()).singleElement().asString().contains(sentence(reading));
      assertThat(lock.readLock().tryLock(A_MOMENT)).as("readers share").isTrue();
      lock.readLock().unlock();
    }
    try (Lease writing = lock.writeLock().acquire()) {
      assertThat(lock.readLock().tryLock(A_MOMENT)).isFalse();
      assertThat(warnings()).hasSize(2).last().asString().contains(sentence(writing));
    }
  }

  @Test
  void aPartOfAMultiLockIsTold() throws Exception {
    DistributedLock both = manager.getMultiLock("a", "b");
    try (Lease lease = both.acquire()) {
      assertThat(manager.getLock("b").tryLock(A_MOMENT)).isFalse();
      assertThat(both.tryLock(A_MOMENT)).isFalse();
      assertThat(lease.isValid()).isTrue();
    }
    assertThat(warnings())
        .hasSize(2)
        .anySatisfy(line -> assertThat(line).startsWith("lock 'a': thread '" + thread()))
        .anySatisfy(line -> assertThat(line).startsWith("lock 'b': thread '" + thread()));
  }

  @Test
  void whoDoesNotWaitOrHasNoLeaseOfItsOwnIsNotTold() throws Exception {
    DistributedLock lock = manager.getLock("k");
    Lease lease = lock.acquire();
    assertThat(lock.tryLock()).isFalse();
    assertThat(lock.tryAcquire()).isEmpty();
    Thread another = new Thread(() -> assertThatThrownBy(() -> triesFor(lock)).hasMessage("busy"));
    another.start();
    another.join();
    lease.close();
    Lease async = lock.acquireAsync().join(); // may be meant for any thread
    assertThat(lock.tryLock(A_MOMENT)).isFalse();
    async.close();
    assertThat(lock.tryLock(A_MOMENT)).isTrue();
    lock.unlock();

    assertThat(warnings()).isEmpty();
  }

  private static void triesFor(DistributedLock lock) throws InterruptedException {
    if (!lock.tryLock(A_MOMENT)) {
      throw new IllegalStateException("busy");
    }
  }

  @Test
  void theOtherWayRoundIsRefused() {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    assertThatThrownBy(lock::acquire)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("would wait for itself");
    assertThatThrownBy(() -> lock.leaseFor(Duration.ofMinutes(1)).acquire())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("would wait for itself");
    lock.unlock();
    assertThat(warnings()).isEmpty();
  }
}
