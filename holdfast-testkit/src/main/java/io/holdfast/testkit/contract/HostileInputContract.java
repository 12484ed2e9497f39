package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedCountDownLatch;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Text that means something to the store, to a script, to a path or to a reader of logs stays text:
 * keys, names of threads and of applications, and the notes of those who wait never leave their
 * place, never meet each other, and never touch what stands beside them. What cannot be stored is
 * refused before anything is.
 */
public abstract class HostileInputContract extends EngineContract {
  /** Fragments of what engines speak, and texts that careless storing would make the same. */
  private static final List<String> FRAGMENTS =
      List.of(
          "\n",
          "\r\n",
          "\r",
          "\u0000",
          "\u0000x",
          "\u001f",
          "\u001fgranted\u001f1",
          "'",
          "''",
          "\"",
          "\\",
          "\\'",
          "`",
          "'; DROP TABLE holdfast_lock; --",
          "' OR '1'='1",
          "%' ESCAPE '!",
          "_",
          "%",
          "%25",
          "%2F",
          "%0041",
          "A",
          "a",
          "a ",
          " a",
          "\u00e9",
          "e\u0301",
          "\u00df",
          "ss",
          "\ud83d\ude00",
          "\ud83d\ude01",
          "\u202egnp.exe",
          "return redis.call('FLUSHALL')",
          "]] redis.call('FLUSHALL') --[[",
          "{tag}",
          "{}",
          "}{",
          "{",
          ":",
          "::",
          ":queue",
          ":waiters",
          "/",
          "//",
          "/..",
          "/../..",
          "/../../etc/passwd",
          "/.",
          ".",
          "~",
          "~0000000001",
          "*",
          "?",
          "[a-z]",
          "[^x]",
          "\\*",
          ";H,x,y",
          ",",
          "${jndi:ldap://localhost/x}",
          "$1",
          "#{1+1}",
          "<script>");

  /** Whole keys, as short as they can be. */
  private static final List<String> BARE =
      List.of(".", "..", "/", "*", "?", "[", "{}", "{", ":", "%", "'", "\"", "\\", "--", ";", "~");

  /** Names of threads and applications that cannot be stored as they are. */
  private static final List<String> UNSPEAKABLE =
      List.of(
          "a\u001fb\u0000c\r\nd",
          "'; DROP TABLE holdfast_lock; --",
          "\ud83d",
          "\ude00\ud83d",
          "x".repeat(100_000),
          "\ud83d\ude00".repeat(500));

  private static final String HUGE = "x".repeat(1 << 20);

  /** The shortest part of a name that an engine may cut it to. */
  private static final int SHOWN = 200;

  /** For subclasses. */
  protected HostileInputContract() {}

  private List<String> hostileKeys() {
    List<String> keys = new ArrayList<>();
    FRAGMENTS.forEach(each -> keys.add(key() + each));
    FRAGMENTS.forEach(each -> keys.add(each + key()));
    return keys;
  }

  @Test
  void noTwoHostileKeysAreTheSameLock() throws InterruptedException {
    List<String> keys = hostileKeys();
    keys.add(key());
    for (String each : keys) {
      assertThat(manager().getLock(each).tryLock(0, LONG_LEASE.toMillis(), TimeUnit.MILLISECONDS))
          .as(shown(each))
          .isTrue();
    }
    for (String each : keys) {
      DistributedLock elsewhere = otherManager().getLock(each);
      assertThat(elsewhere.tryLock()).as(shown(each)).isFalse();
      manager().getLock(each).unlock();
      assertThat(elsewhere.tryLock(0, LONG_LEASE.toMillis(), TimeUnit.MILLISECONDS))
          .as("free again: %s", shown(each))
          .isTrue();
    }
    for (String each : keys) {
      assertThat(manager().getLock(each).isLocked()).as(shown(each)).isTrue();
      otherManager().getLock(each).unlock();
    }
  }

  @Test
  void keysOfOneSignAreLocksOfTheirOwn() {
    for (String each : BARE) {
      assertThat(manager().getLock(each).tryLock()).as(each).isTrue();
    }
    for (String each : BARE) {
      assertThat(otherManager().getLock(each).tryLock()).as(each).isFalse();
      assertThat(otherManager().getLock(each).info().key()).isEqualTo(each);
      manager().getLock(each).unlock();
    }
  }

  @Test
  void whatStandsBesideAHostileKeyIsNotTouched() throws InterruptedException {
    Lease canary = lock().leaseFor(LONG_LEASE).acquire();
    Lease behind = manager().getLock(key() + ":behind").leaseFor(LONG_LEASE).acquire();
    List<String> keys = FRAGMENTS.stream().map(each -> key() + each).toList();
    keys.forEach(
        each -> manager().getLock(each).lock(LONG_LEASE.toMillis(), TimeUnit.MILLISECONDS));
    for (String each : keys) {
      assertThat(otherManager().getLock(each).forceUnlock()).as(shown(each)).isTrue();
    }
    eventually()
        .until(
            () -> keys.stream().noneMatch(each -> manager().getLock(each).isHeldByCurrentThread()));
    for (String each : keys) {
      assertThat(otherManager().getLock(each).tryLock()).as(shown(each)).isTrue();
      otherManager().getLock(each).unlock();
      manager().destroyLock(each);
    }
    for (Lease untouched : List.of(canary, behind)) {
      assertThat(untouched.isValid()).isTrue();
      DistributedLock elsewhere = otherManager().getLock(untouched.key());
      assertThat(elsewhere.tryLock()).isFalse();
      assertThat(elsewhere.info().holder().orElseThrow().token()).isEqualTo(untouched.token());
      untouched.close();
      assertThat(elsewhere.tryLock()).isTrue();
      elsewhere.unlock();
    }
  }

  @Test
  void theOtherPrimitivesTakeHostileKeysToo() throws InterruptedException {
    for (String each : FRAGMENTS) {
      DistributedReadWriteLock readWrite = manager().getReadWriteLock(key() + "rw" + each);
      readWrite.writeLock().lock();
      assertThat(otherManager().getReadWriteLock(key() + "rw" + each).readLock().tryLock())
          .as(shown(each))
          .isFalse();
      readWrite.writeLock().unlock();
      DistributedSemaphore semaphore = manager().getSemaphore(key() + "s" + each, 1);
      Lease permit = semaphore.acquire();
      assertThat(otherManager().getSemaphore(key() + "s" + each, 1).tryAcquire()).isEmpty();
      permit.close();
      DistributedCountDownLatch latch = manager().getCountDownLatch(key() + "l" + each);
      assertThat(latch.trySetCount(1)).as(shown(each)).isTrue();
      otherManager().getCountDownLatch(key() + "l" + each).countDown();
      assertThat(latch.await(PATIENCE)).isTrue();
      DistributedLock several = manager().getMultiLock(key() + "m" + each, key() + "n" + each);
      several.lock();
      assertThat(otherManager().getLock(key() + "m" + each).tryLock()).as(shown(each)).isFalse();
      several.unlock();
    }
  }

  @Test
  void aKeyThatCannotBeStoredIsRefusedEverywhereBeforeAnythingIsStored() {
    List<String> bad =
        List.of(key() + HUGE, key() + "\ud83d", "\ude00" + key(), key() + "\ud83d\ud83d\ude00");
    List<Consumer<String>> uses =
        List.of(
            each -> manager().getLock(each),
            each -> manager().getFairLock(each),
            each -> manager().getReadWriteLock(each),
            each -> manager().getSemaphore(each, 1),
            each -> manager().getCountDownLatch(each),
            each -> manager().getMultiLock(key(), each),
            each -> manager().getSegmentedLock(each, 2),
            each -> manager().destroyLock(each));
    for (String each : bad) {
      for (Consumer<String> use : uses) {
        assertThatThrownBy(() -> use.accept(each))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("key")
            .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(500));
      }
    }
    assertThat(store().leftoversOf(key())).isEmpty();
  }

  @Test
  void aHolderAndAWaiterWithHostileNamesAreShownAndServed() {
    List<String> names = new ArrayList<>(FRAGMENTS);
    names.addAll(UNSPEAKABLE);
    names.forEach(name -> holdAndWait(otherManager(), name));
  }

  @Test
  void anApplicationWithAHostileNameIsShownAndServed() {
    for (String name : UNSPEAKABLE) {
      if (name.length() > SHOWN) {
        assertThatThrownBy(() -> store().newManager().application(name))
            .isInstanceOf(IllegalArgumentException.class);
        continue;
      }
      try (LockManager hostile = store().newManager().application(name).build()) {
        holdAndWait(hostile, name);
        hostile.getLock(key()).lock();
        assertShows(lock().info().holder().orElseThrow().application(), name);
        hostile.getLock(key()).unlock();
      }
    }
  }

  private void holdAndWait(LockManager hostile, String name) {
    OtherThread other = otherThread();
    other.thread().setName(name);
    DistributedLock theirs = hostile.getLock(key());
    other.run(theirs::lock);
    LockInfo.Holder holder = lock().info().holder().orElseThrow();
    assertThat(holder.pid()).as(shown(name)).isEqualTo(ProcessHandle.current().pid());
    assertShows(holder.thread(), name);
    other.run(theirs::unlock);

    lock().lock();
    Future<Boolean> waiting = other.startRun(theirs::lock);
    eventually().until(() -> lock().info().waiters().size() == 1);
    LockInfo.Waiter waiter = lock().info().waiters().get(0);
    assertThat(waiter.pid()).as(shown(name)).isEqualTo(ProcessHandle.current().pid());
    assertShows(waiter.thread(), name);
    lock().unlock();
    OtherThread.get(waiting);
    other.run(theirs::unlock);
    other.close();
  }

  /** A waiter's note names what its process holds meanwhile. */
  @Test
  void whoHoldsHostileKeysCanWaitForAnother() {
    OtherThread other = otherThread();
    for (String each : FRAGMENTS) {
      lock().lock();
      DistributedLock held = otherManager().getLock(key() + each);
      DistributedLock wanted = sameLockElsewhere();
      Future<Boolean> waiting =
          other.startRun(
              () -> {
                held.lock();
                wanted.lock();
              });
      eventually().until(() -> lock().info().waiters().size() == 1);
      lock().unlock();
      OtherThread.get(waiting);
      other.run(wanted::unlock);
      other.run(held::unlock);
    }
  }

  /**
   * The text itself, or a safe form of it: cut, but not before its 200th character, and with
   * something harmless for a sign that separates fields or cannot be written as UTF-8.
   */
  private static void assertShows(String text, String given) {
    int compared = Math.min(given.length(), SHOWN);
    assertThat(text.length()).as(shown(given)).isGreaterThanOrEqualTo(compared - 1);
    for (int i = 0; i < Math.min(compared, text.length()); i++) {
      char is = text.charAt(i);
      char was = given.charAt(i);
      boolean replaced =
          (was < ' ' || Character.isSurrogate(was)) && (is == ' ' || is == '?' || is == '\ufffd');
      assertThat(is == was || replaced).as("%s is shown as %s", shown(given), shown(text)).isTrue();
    }
  }

  private static String shown(String text) {
    StringBuilder shown = new StringBuilder();
    text.chars()
        .limit(100)
        .forEach(
            c -> shown.append(c > ' ' && c < 127 ? (char) c : "\\u%04x".formatted(c).toString()));
    return shown.toString();
  }
}
