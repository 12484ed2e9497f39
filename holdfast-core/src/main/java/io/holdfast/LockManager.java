package io.holdfast;

import static java.util.Objects.requireNonNull;

import io.holdfast.internal.ExitHook;
import io.holdfast.internal.LockRegistry;
import io.holdfast.internal.SafeUrl;
import io.holdfast.internal.base.Callbacks;
import io.holdfast.internal.base.ClosePatience;
import io.holdfast.internal.base.Closing;
import io.holdfast.internal.base.LockRules;
import io.holdfast.internal.base.TimerThread;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.local.shared.Latch;
import io.holdfast.internal.observe.AuditLog;
import io.holdfast.internal.observe.EventBus;
import io.holdfast.internal.watchdog.Watchdog;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.Resource.Kind;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where locks come from: one connection to one store. Make one per application, keep it, close it
 * at the end. One that is still open when the JVM ends in an orderly way is closed then ({@link
 * LockManagerBuilder#shutdownHook}).
 *
 * <pre>{@code
 * try (LockManager manager = LockManager.create("redis://localhost:6379")) {
 *   DistributedLock lock = manager.getLock("stock:42");
 *   int left = lock.waitUpTo(ofSeconds(5)).call(() -> sellOne());
 * }
 * }</pre>
 *
 * <p>The engine is found by the URL: {@code memory:}, {@code redis://host:port}. Closing gives back
 * every lock that is still held, tells its holder, and ends everyone who waits with a {@link
 * LockManagerClosedException}.
 */
public final class LockManager implements AutoCloseable {

  private final LockConfig defaults;
  private final LockEngine engine;
  private final LockConfig fairDefaults;
  private final LockRegistry locks;
  private final EventBus events;
  private final Callbacks callbacks;
  private final @Nullable TimerThread ownTimer;
  private final MetricsCollector.Source metered;
  private final ClientIdentity identity;
  private final String url;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountDownLatch closedToTheEnd = new CountDownLatch(1);
  private final Runnable atExit = this::closeAtExit;

  LockManager(LockManagerBuilder settings, LockBackendProvider provider, String url) {
    this.defaults = settings.defaults;
    TimeSource time = settings.time != null ? settings.time : TimeSource.system();
    Scheduler scheduler = settings.scheduler;
    TimerThread timer = null;
    if (scheduler == null) {
      timer = new TimerThread();
      scheduler = timer;
    }
    this.ownTimer = timer;
    this.callbacks = new Callbacks(settings.callbacks, scheduler);
    this.url = SafeUrl.of(url);
    this.identity = settings.identity();
    this.events = new EventBus(time, new AuditLog(settings.audit, identity.clientId()));
    settings.listeners.forEach(events::add);
    try {
      this.engine =
          new LockEngine(
              new Context(identity, time, scheduler, callbacks, events, settings.random),
              provider,
              url,
              started -> Watchdog.start(started, defaults),
              settings.deadlockVictim);
    } catch (BackendException e) {
      close(ownTimer);
      String message = String.valueOf(e.getMessage());
      throw e.mayPass()
          ? new StoreUnavailableException(message, e)
          : new StoreException(message, e);
    } catch (RuntimeException | Error e) {
      close(ownTimer);
      throw e;
    }
    this.fairDefaults = defaults.toBuilder().fair(true).build();
    this.locks = new LockRegistry(engine);
    this.metered = new Metered(engine.name(), engine::health);
    events.started(settings.metrics, metered);
    if (settings.shutdownHook) {
      ExitHook.add(atExit);
    }
  }

  /**
   * Connects to the store behind the URL, with default settings.
   *
   * @throws IllegalArgumentException when no engine understands the URL, or its engine knows no
   *     such option
   * @throws StoreUnavailableException when the store cannot be reached
   * @throws StoreException when it can be reached and not be used
   */
  public static LockManager create(String url) {
    return builder(url).build();
  }

  /** Settings for a manager. */
  public static LockManagerBuilder builder(String url) {
    return new LockManagerBuilder(url);
  }

  /** The lock with this key. */
  public DistributedLock getLock(String key) {
    return new DistributedLock(locks.lock(requireOpen(Kind.LOCK, key)), defaults, key);
  }

  /** The lock with this key, in order of arrival. */
  public DistributedLock getFairLock(String key) {
    return new DistributedLock(locks.lock(requireOpen(Kind.LOCK, key)), fairDefaults, key);
  }

  /** The lock with these settings. */
  public DistributedLock getLock(LockConfig config) {
    return new DistributedLock(locks.lock(requireOpen(Kind.LOCK, config)), config);
  }

  /** Several locks as one: all or none. The order of the keys does not matter. */
  public DistributedLock getMultiLock(String... keys) {
    requireNonNull(keys, "keys must not be null");
    return getMultiLock(defaults, Arrays.asList(keys));
  }

  /**
   * Several locks as one, with these settings (whose own key does not count). They are taken in the
   * order of their keys; whoever cannot have one gives back the others. The lease is lost when the
   * first of them is. The token is the largest of theirs; a resource that belongs to one of the
   * keys is better guarded by that key's own.
   *
   * @throws IllegalArgumentException when there is no key, or one twice
   */
  public DistributedLock getMultiLock(LockConfig config, Collection<String> keys) {
    requireNonNull(config, "config must not be null");
    requireNonNull(keys, "keys must not be null");
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("a multi-lock needs at least one key");
    }
    TreeSet<String> sorted = new TreeSet<>();
    for (String key : keys) {
      requireOpen(Kind.LOCK, config.withKey(key));
      if (!sorted.add(key)) {
        throw new IllegalArgumentException("the key '" + key + "' is there twice");
      }
    }
    return new DistributedLock(locks.multi(sorted), config, String.join(" + ", sorted));
  }

  /**
   * One resource in several segments, each with a lock of its own.
   *
   * @param segments how many; the same number in every process
   */
  public DistributedSegmentedLock getSegmentedLock(String key, int segments) {
    if (segments < 1 || segments > 10_000) {
      throw new IllegalArgumentException(
          "a segmented lock has 1 to 10000 segments, not " + segments);
    }
    requireOpen(Kind.LOCK, defaults.withKey(key));
    return new DistributedSegmentedLock(
        key, IntStream.range(0, segments).mapToObj(i -> getLock(key + ":" + i)).toList());
  }

  /** The read-write lock with this key; who came first is served first. */
  public DistributedReadWriteLock getReadWriteLock(String key) {
    return getReadWriteLock(defaults.withKey(key), false);
  }

  /**
   * The read-write lock with these settings.
   *
   * @param preferReaders true to let readers in while writers wait, who may then wait for long
   */
  public DistributedReadWriteLock getReadWriteLock(LockConfig config, boolean preferReaders) {
    String key = requireOpen(Kind.READ_WRITE, config);
    Claim read = preferReaders ? Claim.READ_FIRST : Claim.READ;
    return new DistributedReadWriteLock(
        new DistributedLock(locks.readWrite(key, read), config),
        new DistributedLock(locks.readWrite(key, Claim.WRITE), config));
  }

  /**
   * The semaphore with this key and so many permits. Every process must give the same number,
   * unless {@link DistributedSemaphore#setPermits} has changed it.
   */
  public DistributedSemaphore getSemaphore(String key, int permits) {
    return getSemaphore(defaults.withKey(key), permits);
  }

  /** The semaphore with these settings and so many permits. */
  public DistributedSemaphore getSemaphore(LockConfig config, int permits) {
    String key = requireOpen(Kind.SEMAPHORE, config);
    DistributedSemaphore.requirePermits(permits);
    return new DistributedSemaphore(locks.semaphore(key), config, permits);
  }

  /** The count-down latch with this key. */
  public DistributedCountDownLatch getCountDownLatch(String key) {
    return getCountDownLatch(defaults.withKey(key));
  }

  /**
   * The count-down latch with these settings, of which a latch knows the key, the retry policy, the
   * store time-out and the wait alert.
   */
  public DistributedCountDownLatch getCountDownLatch(LockConfig config) {
    return new DistributedCountDownLatch(
        new Latch(requireOpen(Kind.LATCH, config), config, engine));
  }

  private String requireOpen(Kind kind, LockConfig config) {
    return requireOpen(kind, requireNonNull(config, "config must not be null").lockKey());
  }

  private String requireOpen(Kind kind, @Nullable String lockKey) {
    String key = LockRules.requireKey(lockKey);
    if (closed.get()) {
      throw new LockManagerClosedException(kind.label(), key);
    }
    return key;
  }

  /**
   * Forgets what this process keeps about a lock. Not needed to save memory: locks that nobody uses
   * are forgotten anyway.
   *
   * @throws IllegalStateException when the lock is held or waited for in this process
   */
  public void destroyLock(String key) {
    locks.destroy(LockRules.requireKey(key));
  }

  /**
   * Runs code under a lock: takes it, runs, always unlocks, and passes the result or exception of
   * the code through unchanged. Reentrant, like {@code lock()}. The same with the two times by
   * their names: {@code getLock(key).waitUpTo(...).leaseFor(...).call(body)}.
   *
   * @param leaseSeconds the lease, or -1 to renew while the code runs
   * @param waitSeconds how long to wait for the lock
   * @throws LockTimeoutException when the lock was busy for that long; says who holds it
   * @throws LockLostException when the code has run to its end but the lock was lost meanwhile
   */
  public <T extends @Nullable Object, X extends Exception> T execute(
      String key, long leaseSeconds, long waitSeconds, LockRequest.Body<T, X> body)
      throws X, InterruptedException {
    LockRequest request = getLock(key).waitUpTo(Duration.ofSeconds(waitSeconds));
    return leaseSeconds == -1
        ? request.call(body)
        : request.leaseFor(Duration.ofSeconds(leaseSeconds)).call(body);
  }

  /** Adds a listener for everything that happens to the locks of this manager. */
  public void addListener(LockListener listener) {
    events.add(requireNonNull(listener, "listener must not be null"));
  }

  /** Removes it again. */
  public void removeListener(LockListener listener) {
    events.remove(listener);
  }

  /** How this manager and its store are, as the watchdog saw them last; costs no round trip. */
  public LockHealth health() {
    return engine.health();
  }

  /** About how many lock keys this manager knows at the moment. */
  public int knownLocks() {
    return locks.size();
  }

  /**
   * Gives back what is held and closes everything, within a bounded time. It does the same on an
   * interrupted thread, which stays interrupted, and throws nothing.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      closeNow();
    } finally {
      ExitHook.remove(atExit); // not before: the exit waits for a close that is under way
      closedToTheEnd.countDown();
    }
  }

  private void closeNow() {
    Closing.step("give back all locks", () -> engine.close(ClosePatience.CLOSE));
    Closing.step("end the timer", () -> close(ownTimer));
    Closing.step("tell the collector", () -> events.stopped(metered));
    Closing.step("disconnect", engine::disconnect);
    Closing.step("deliver events", events::close);
    Closing.step("end the callbacks", callbacks::close);
  }

  private void closeAtExit() {
    close();
    try {
      closedToTheEnd.await(); // another thread may have been faster
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The store, whose locks these are and how many are held. */
  @Override
  public String toString() {
    return "LockManager[%s at %s, application '%s', client %s, %s]"
        .formatted(
            engine.name(),
            url,
            identity.application(),
            identity.clientId(),
            closed.get() ? "closed" : "open, holds " + health().held());
  }

  private static void close(@Nullable TimerThread timer) {
    if (timer != null) {
      timer.close();
    }
  }

  /** What whoever counts may know of this manager. */
  private record Metered(String engine, Supplier<LockHealth> now)
      implements MetricsCollector.Source {
    @Override
    public LockHealth health() {
      return now.get();
    }
  }
}
