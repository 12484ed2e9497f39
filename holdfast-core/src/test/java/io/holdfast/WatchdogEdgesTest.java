package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.LockEvent.Kind;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The checks. */
@Timeout(600)
@SuppressWarnings("LockNotBeforeTry")
class WatchdogEdgesTest {
  private final ManualTime time = new ManualTime();
  private final MemoryStore memory = new MemoryStore(time);
  private final WatchedStore store = new WatchedStore(memory);
  private final List<LockEvent> events = new CopyOnWriteArrayList<>();
  private final List<LockManager> managers = new ArrayList<>();

  private LockManagerBuilder builder() {
    return time.drive(LockManager.builder("memory:")).engine(store).listener(events::add);
  }

  private LockManager open(LockManagerBuilder builder) {
    LockManager manager = builder.build();
    managers.add(manager);
    return manager;
  }

  @AfterEach
  void close() {
    managers.forEach(LockManager::close);
  }

  private long count(Kind kind, String start) {
    return events.stream()
        .filter(event -> event.kind() == kind && event.detail().startsWith(start))
        .count();
  }

  private void settleEvents() {
    AtomicInteger before = new AtomicInteger(-1);
    await()
        .pollInterval(Duration.ofMillis(200))
        .until(() -> before.getAndSet(events.size()) == events.size());
  }

  /** Events come in the order in which they happened: when this one is there, so are the others. */
  private void awaitEventsBefore(LockManager manager, String key) {
    manager.getLock(key).acquire().close();
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> events.stream().anyMatch(event -> event.key().equals(key)));
  }

  private static void onOwnThread(Runnable task) throws InterruptedException {
    Thread thread = new Thread(task);
    thread.start();
    thread.join();
  }

  @Test
  void aShorterPeriodOfALockCountsFromItsFirstMoment() throws Exception {
    LockManager manager =
        open(builder().defaults(LockConfig.builder().watchdogPeriod(Duration.ofHours(1)).build()));
    LockConfig own = LockConfig.builder().lockKey("k").watchdogPeriod(5).build();
    onOwnThread(() -> manager.getLock(own).lock());
    time.advance(Duration.ofMinutes(5));

    assertThat(memory.size()).as("held by a thread that has ended").isZero();
  }

  @Test
  void anEpisodeOfALockWithALongerPeriodLastsFromLookToLook() throws Exception {
    LockManager manager = open(builder()); // looks every 5 s
    LockConfig own =
        LockConfig.builder()
            .lockKey("k")
            .leaseTime(3600)
            .watchdogPeriod(20)
            .blockedAlert(Duration.ofSeconds(1))
            .build();
    CountDownLatch stay = new CountDownLatch(1);
    CountDownLatch there = new CountDownLatch(1);
    Thread blocked =
        new Thread(
            () -> {
              manager.getLock(own).lock();
              there.countDown();
              try {
                stay.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              manager.getLock(own).unlock();
            });
    blocked.start();
    there.await();
    await().until(() -> blocked.getState() == Thread.State.WAITING);
    for (int i = 0; i < 20; i++) {
      time.advance(Duration.ofSeconds(10));
    }
    settleEvents();
    stay.countDown();
    blocked.join();

    assertThat(count(Kind.FINDING, "THREAD_BLOCKED")).isGreaterThan(5);
    assertThat(count(Kind.ALERT, "THREAD_BLOCKED")).as("alertThreshold is 2").isEqualTo(1);
  }

  @Test
  void aThreadThatHasEndedIsAlertedOnceWhateverThePeriodOfTheLock() throws Exception {
    LockManager manager = open(builder());
    LockConfig own =
        LockConfig.builder()
            .lockKey("k")
            .watchdogPeriod(20)
            .recoveryStrategy(RecoveryStrategy.NOTIFY_ONLY)
            .build();
    onOwnThread(() -> manager.getLock(own).lock());
    time.advance(Duration.ofMinutes(3));
    settleEvents();

    assertThat(count(Kind.ALERT, "THREAD_ENDED")).isEqualTo(1);
  }

  @Test
  void alertsAboutTheStoreKeepToTheThresholdOfTheManager() throws Exception {
    open(builder().defaults(LockConfig.builder().alertThreshold(10).build()));
    store.answer("ping", call -> CompletableFuture.failedFuture(CutOff.cut()));
    time.advance(Duration.ofSeconds(22)); // four looks
    settleEvents();

    assertThat(count(Kind.FINDING, "STORE_UNREACHABLE")).isEqualTo(4);
    assertThat(count(Kind.ALERT, "STORE_UNREACHABLE")).isZero();
  }

  @Test
  void aVeryLongPeriodIsNotAVeryShortOne() {
    AtomicInteger checks = new AtomicInteger();
    store.answer(
        "check",
        call -> {
          checks.incrementAndGet();
          return call.proceed();
        });
    LockManager manager = open(builder());
    LockConfig never =
        LockConfig.builder()
            .lockKey("k")
            .leaseTime(3600)
            .watchdogPeriod(Duration.ofDays(36_500))
            .build();
    Lease lease = manager.getLock(never).acquire();
    time.advance(Duration.ofMinutes(1));
    lease.close();

    assertThat(checks).hasValue(0);
  }

  @Test
  void shortWaitsOfTheSameThreadAreNotOneLongWait() throws Exception {
    LockManager manager = open(builder());
    LockConfig config = LockConfig.builder().lockKey("k").waitAlert(Duration.ofSeconds(15)).build();
    DistributedLock lock = manager.getLock(config);
    Lease held = lock.acquire();
    AtomicInteger waits = new AtomicInteger();
    Thread impatient =
        new Thread(
            () -> {
              while (waits.incrementAndGet() <= 6) {
                try {
                  lock.lockInterruptibly();
                } catch (InterruptedException e) {
                  // and once more
                }
              }
            });
    impatient.start();
    for (int round = 1; round <= 6; round++) {
      int number = round;
      await().until(() -> waits.get() == number && lock.info().localWaiters() == 1);
      time.advance(Duration.ofSeconds(5)); // one look; it waits since five seconds at most
      impatient.interrupt();
    }
    impatient.join();
    held.close();
    settleEvents();

    assertThat(count(Kind.WAITING_LONG, "")).as("nobody waited for 15 seconds").isZero();
  }

  @Test
  void aReleaseThatGotNoAnswerIsNotToldAsRecovered() throws Exception {
    LockManager manager = open(builder());
    onOwnThread(() -> manager.getLock("k").lock());
    store.answer("release", call -> CutOff.done(new ReleaseResult.Unknown(CutOff.cut())));
    time.advance(Duration.ofSeconds(6));
    settleEvents();
    store.answerNormally("release");

    assertThat(memory.size()).as("still held in the store").isEqualTo(1);
    assertThat(count(Kind.RECOVERED, "RELEASE")).isZero();
  }

  @Test
  void aWriterThatReadsAndHasEndedIsReleasedOnce() throws Exception {
    LockManager manager = open(builder());
    onOwnThread(
        () -> {
          manager.getReadWriteLock("rw").writeLock().lock();
          manager.getReadWriteLock("rw").readLock().lock();
        });
    time.advance(Duration.ofSeconds(12));
    settleEvents();

    assertThat(memory.size()).isZero();
    assertThat(count(Kind.RECOVERED, "RELEASE")).isEqualTo(1);
  }

  @Test
  void moreThanAThousandAreAlertedLikeTheOthers() throws Exception {
    LockManager manager = open(builder());
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 1100; i++) {
      leases.add(manager.getLock("k" + i).acquire());
    }
    store.answer("renew", call -> CutOff.done(CutOff.unknownFor((List<?>) call.argument(0))));
    for (int i = 0; i < 27; i++) {
      time.advance(Duration.ofSeconds(1));
      awaitEventsBefore(manager, "step" + i); // or some are dropped: there are thousands
    }
    settleEvents();
    store.answerNormally("renew");

    assertThat(leases).allMatch(Lease::isValid);
    assertThat(count(Kind.ALERT, "RENEWAL_LATE")).isEqualTo(1100);
  }

  /** Two readers of the same name are found once each per look, not twice in a row. */
  @Test
  void twoReadersWithTheSameNameAreNotTwoLooksInARow() throws Exception {
    LockManager manager = open(builder());
    LockConfig own =
        LockConfig.builder()
            .lockKey("rw")
            .leaseTime(3600)
            .blockedAlert(Duration.ofSeconds(7))
            .alertThreshold(3)
            .build();
    CountDownLatch stay = new CountDownLatch(1);
    CountDownLatch there = new CountDownLatch(2);
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Thread reader =
          new Thread(
              () -> {
                manager.getReadWriteLock(own, false).readLock().lock();
                there.countDown();
                try {
                  stay.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                manager.getReadWriteLock(own, false).readLock().unlock();
              },
              "worker");
      reader.start();
      readers.add(reader);
    }
    there.await();
    await().until(() -> readers.stream().allMatch(r -> r.getState() == Thread.State.WAITING));
    time.advance(Duration.ofSeconds(21)); // looks at 5, 10, 15, 20; blocked for 10 and 15 seconds
    settleEvents();
    stay.countDown();
    for (Thread reader : readers) {
      reader.join();
    }

    assertThat(count(Kind.FINDING, "THREAD_BLOCKED")).isEqualTo(4); // two looks, two readers
    assertThat(count(Kind.ALERT, "THREAD_BLOCKED"))
        .as("two looks; the threshold is three")
        .isZero();
  }

  // ---- deadlocks

  /**
   * a holds X and waits to read R (leads); b waits to read R behind it; a gives up and goes on with
   * X; b goes on in its place. Another process writes R and waits for X: nobody is in a circle.
   */
  @Test
  void aReaderThatGaveUpIsNotInADeadlockAndItsSuccessorIsNoVictim() throws Exception {
    LockManager ours =
        open(builder().application("ours").deadlockVictim(DeadlockVictim.LAST_TO_WAIT));
    LockManager theirs =
        open(builder().application("theirs").deadlockVictim(DeadlockVictim.LAST_TO_WAIT));
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch hasX = new CountDownLatch(1);
    CountDownLatch writes = new CountDownLatch(1);
    List<Throwable> faults = new CopyOnWriteArrayList<>();
    Thread writer =
        start(
            faults,
            () -> {
              theirs.getReadWriteLock("R").writeLock().lock();
              writes.countDown();
              hasX.await();
              theirs.getLock("X").lock();
              theirs.getLock("X").unlock();
              theirs.getReadWriteLock("R").writeLock().unlock();
            });
    writes.await();
    CountDownLatch mayRead = new CountDownLatch(1);
    CountDownLatch gaveUp = new CountDownLatch(1);
    Thread a =
        start(
            faults,
            () -> {
              ours.getLock("X").lock();
              hasX.countDown();
              mayRead.await();
              try {
                ours.getReadWriteLock("R").readLock().lockInterruptibly();
                ours.getReadWriteLock("R").readLock().unlock();
              } catch (InterruptedException e) {
                gaveUp.countDown(); // and goes on
              }
              end.await();
              ours.getLock("X").unlock();
            });
    await().until(() -> ours.getLock("X").info().waiters().size() == 1);
    time.advance(Duration.ofSeconds(1));
    mayRead.countDown();
    await().until(() -> ours.getReadWriteLock("R").readLock().info().waiters().size() == 1);
    Thread b =
        start(
            faults,
            () -> {
              ours.getReadWriteLock("R").readLock().lock();
              ours.getReadWriteLock("R").readLock().unlock();
            });
    await().until(() -> ours.getReadWriteLock("R").readLock().info().localWaiters() == 1);
    a.interrupt();
    gaveUp.await();
    for (int i = 0; i < 6; i++) {
      time.advance(Duration.ofSeconds(5));
    }
    settleEvents();
    List<Throwable> faultsBefore = List.copyOf(faults);
    end.countDown();
    for (Thread thread : List.of(writer, a, b)) {
      while (thread.isAlive()) {
        time.advance(Duration.ofSeconds(1));
        thread.join(50);
      }
    }

    assertThat(faultsBefore).as("nobody gives way: there is no circle").isEmpty();
    assertThat(count(Kind.FINDING, "DEADLOCK")).isZero();
  }

  private interface Step {
    void run() throws InterruptedException;
  }

  private static Thread start(List<Throwable> faults, Step step) {
    Thread thread =
        new Thread(
            () -> {
              try {
                step.run();
              } catch (InterruptedException | RuntimeException e) {
                faults.add(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
