package io.holdfast.internal.engine;

import io.holdfast.LockManagerClosedException;
import io.holdfast.internal.base.Callbacks;
import io.holdfast.internal.base.RoutedBackend;
import io.holdfast.internal.base.TenureIds;
import io.holdfast.internal.observe.EventBus;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What every part of a lock manager shares: time, scheduler, the lanes of callbacks, who this
 * process is, where events go, the store, and whether the manager is closed. It decides nothing.
 */
public final class Context {
  /** Never completes: used to poll the store without waiting. */
  private static final CompletableFuture<?> NEVER = new CompletableFuture<>();

  private final ClientIdentity identity;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Callbacks callbacks;
  private final EventBus events;
  private final TenureIds tenureIds;
  private @Nullable LockBackend backend;
  private volatile boolean closed;

  /** Without a store. */
  public Context(
      ClientIdentity identity,
      TimeSource time,
      Scheduler scheduler,
      Callbacks callbacks,
      EventBus events,
      RandomGenerator random) {
    this.identity = identity;
    this.time = time;
    this.scheduler = scheduler;
    this.callbacks = callbacks;
    this.events = events;
    this.tenureIds = new TenureIds(random);
  }

  /** Opens the store, whose signals go to the engine. */
  void open(LockBackendProvider provider, String url, BackendSignals signals) {
    BackendContext context = new BackendContext(identity, signals, time, scheduler);
    backend = new RoutedBackend(provider.open(url, context), context);
  }

  /** The store. */
  public LockBackend backend() {
    LockBackend opened = backend;
    if (opened == null) {
      throw new IllegalStateException("the store is not open yet");
    }
    return opened;
  }

  /**
   * Takes in what the store has sent already, before a fair lock stays in this process because no
   * other process is known to wait. No monitor may be held.
   */
  public void drainSignals() {
    try {
      backend().assist(NEVER, 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- time

  public TimeSource time() {
    return time;
  }

  /** The monotonic clock. */
  public long now() {
    return time.nanoTime();
  }

  public Scheduler scheduler() {
    return scheduler;
  }

  // ---- who hears of it

  public EventBus events() {
    return events;
  }

  /** Where futures of the application are completed, and with them what it chains to them. */
  public Executor futureLane() {
    return callbacks.futures();
  }

  /** The same for answers that such a chain may wait for. */
  public Executor answerLane() {
    return callbacks.answers();
  }

  /** Where the application hears of losses: never behind its futures. */
  public Executor newsLane() {
    return callbacks.news();
  }

  // ---- who this is

  public ClientIdentity identity() {
    return identity;
  }

  /** An owner for one acquisition. */
  public Owner newOwner() {
    return new Owner(identity.clientId(), tenureIds.next());
  }

  /** An owner for a lock that counts in this process alone. */
  Owner newLocalOwner() {
    return new Owner(identity.clientId(), RoutedBackend.localId(tenureIds.next()));
  }

  // ---- the end

  public boolean isClosed() {
    return closed;
  }

  /** From now on nothing is granted. */
  void close() {
    closed = true;
  }

  public void requireOpen(Resource resource) {
    requireOpen(resource.kind().label(), resource.key());
  }

  public void requireOpen(String kind, String key) {
    if (closed) {
      throw new LockManagerClosedException(kind, key);
    }
  }

  /** For what is under way when the manager is closed. */
  public static LockManagerClosedException closedWith(Resource resource) {
    return new LockManagerClosedException(resource.kind().label(), resource.key());
  }
}
