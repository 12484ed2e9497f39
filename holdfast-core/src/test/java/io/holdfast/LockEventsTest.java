package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.LockEvent.Kind;
import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

@Timeout(600)
@SuppressWarnings("LockNotBeforeTry")
@Isolated
class LockEventsTest {
  /** As promised by {@link LockListener}. */
  private static final int MOST_WAITING = 10_000;

  private final MemoryStore store = new MemoryStore(TimeSource.system());
  private final LockManager manager =
      LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
  private final DistributedLock lock = manager.getLock("k");
  private final List<LockEvent> events = new CopyOnWriteArrayList<>();
  private final CountDownLatch slowListenerMayGoOn = new CountDownLatch(1);

  @AfterEach
  void close() {
    slowListenerMayGoOn.countDown();
    manager.close();
  }

  @Test
  void tellOfEachHoldWithItsTokenAndThread() {
    manager.addListener(events::add);
    lock.lock();
    long token = lock.fencingToken();
    lock.lock(); // entering again is no event
    lock.unlock();
    lock.unlock();

    await().until(() -> events.size() == 2);
    assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.ACQUIRED, Kind.RELEASED);
    assertThat(events).extracting(LockEvent::key).containsOnly("k");
    assertThat(events).extracting(LockEvent::token).containsOnly(token);
    assertThat(events).extracting(LockEvent::owner).doesNotContain("").hasSize(2);
    assertThat(events).extracting(LockEvent::thread).containsOnly(Thread.currentThread().getName());
  }

  @Test
  void comeInOrderOnOneThread() {
    Set<String> threads = ConcurrentHashMap.newKeySet();
    manager.addListener(
        event -> {
          threads.add(Thread.currentThread().getName());
          events.add(event);
        });
    for (int i = 0; i < 1_000; i++) {
      lock.lock();
      lock.unlock();
    }

    await().until(() -> events.size() == 2_000);
    assertThat(threads).hasSize(1);
    assertThat(events).extracting(LockEvent::token).isSorted();
    for (int i = 0; i < events.size(); i += 2) {
      assertThat(events.get(i).kind()).isEqualTo(Kind.ACQUIRED);
      assertThat(events.get(i + 1).kind()).isEqualTo(Kind.RELEASED);
    }
  }

  @Test
  void tellOfTheReleaseBeforeTheNextHoldThatFollowsIt() {
    manager.addListener(events::add);
    Lease first = lock.acquire();
    lock.acquireAsync().thenAccept(Lease::close);

    first.close();

    await().until(() -> events.size() == 4);
    assertThat(events)
        .extracting(LockEvent::kind)
        .containsExactly(Kind.ACQUIRED, Kind.RELEASED, Kind.ACQUIRED, Kind.RELEASED);
  }

  @Test
  void tellOfWaitsThatAreGivenUp() throws InterruptedException {
    manager.addListener(events::add);
    try (Lease held = lock.acquire()) {
      assertThat(lock.tryLock(Duration.ofMillis(20))).isFalse();
      await().until(() -> events.size() == 2);
      assertThat(events.get(1).kind()).isEqualTo(Kind.GAVE_UP);
      assertThat(events.get(1).duration()).isGreaterThanOrEqualTo(Duration.ofMillis(20));
      assertThat(held.isValid()).isTrue();
    }
  }

  @Test
  void tellOfLosses() {
    manager.addListener(events::add);

    lock.lock(50, TimeUnit.MILLISECONDS);

    await().until(() -> events.size() == 2);
    assertThat(events.get(1).kind()).isEqualTo(Kind.LOST);
    assertThat(events.get(1).token()).isEqualTo(events.get(0).token());
  }

  @Test
  void tellOfForcedLocks() {
    manager.addListener(events::add);
    lock.lock();

    lock.forceUnlock();

    await().until(() -> events.size() == 5);
    assertThat(events)
        .extracting(LockEvent::kind)
        .containsExactlyInAnyOrder(Kind.ACQUIRED, Kind.FORCED, Kind.LOST, Kind.FINDING, Kind.ALERT);
  }

  @Test
  void doNotHoldUpLocksWhenAListenerIsSlow() {
    manager.addListener(event -> awaitQuietly(slowListenerMayGoOn));

    for (int i = 0; i < 1_000; i++) {
      lock.lock();
      lock.unlock();
    }

    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  void areDroppedWhenTenThousandWaitForASlowListener() {
    AtomicInteger heard = new AtomicInteger();
    manager.addListener(
        event -> {
          awaitQuietly(slowListenerMayGoOn);
          heard.incrementAndGet();
        });
    for (int i = 0; i < MOST_WAITING; i++) {
      lock.lock();
      lock.unlock();
    }

    slowListenerMayGoOn.countDown();

    await().untilAsserted(() -> assertThat(heard).hasValueBetween(MOST_WAITING, MOST_WAITING + 1));
    lock.lock();
    lock.unlock();
    await()
        .untilAsserted(() -> assertThat(heard).hasValueBetween(MOST_WAITING + 2, MOST_WAITING + 3));
  }

  @Test
  void reachTheOthersWhenOneListenerThrows() {
    manager.addListener(
        event -> {
          throw new IllegalStateException("thrown by a listener on purpose");
        });
    manager.addListener(
        event -> {
          throw new AssertionError("thrown by a listener on purpose");
        });
    manager.addListener(events::add);

    lock.lock();
    lock.unlock();

    await().until(() -> events.size() == 2);
  }

  @Test
  void endForAListenerThatIsRemoved() {
    LockListener listener = events::add;
    manager.addListener(listener);
    lock.lock();
    await().until(() -> events.size() == 1);

    manager.removeListener(listener);
    List<LockEvent> later = new CopyOnWriteArrayList<>();
    manager.addListener(later::add);
    lock.unlock();

    await().until(() -> later.size() == 1);
    assertThat(events).hasSize(1);
  }

  @Test
  void reachAListenerOfTheBuilderFromTheFirstLockToTheLast() {
    LockManager another = LockManager.builder("memory:").listener(events::add).build();
    another.getLock("k").lock();

    another.close();

    assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.ACQUIRED, Kind.LOST);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
