package io.holdfast.memory;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TimeSource;
import io.holdfast.spi.state.ResourceState;
import io.holdfast.spi.state.ResourceStep;
import io.holdfast.spi.state.StateSignal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Locks in the memory of this process, shared by every manager that uses the same store. It follows
 * the rules of a remote store to the letter: leases run out by its own clock, a release grants to
 * the next waiters, tokens come from ticks of the clock. Those rules are in {@link ResourceStep}.
 *
 * <p>One monitor guards everything; signals are collected inside it and sent outside, on the thread
 * of the caller.
 *
 * <pre>{@code
 * MemoryStore store = new MemoryStore(TimeSource.system());
 * LockManager one = LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
 * LockManager other = LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
 * }</pre>
 */
public final class MemoryStore {
  private final TimeSource time;
  private final Map<String, BackendContext> clients = new HashMap<>();
  private final Map<String, ResourceState> states = new HashMap<>();
  private final ResourceStep.Rules rules =
      new ResourceStep.Rules(Long.MAX_VALUE, owner -> clients.containsKey(owner.clientId()));
  private final long epochOffset;
  private long lastTick;

  /**
   * An empty store that counts leases with the given clock. The wall clock is read once: an order
   * of arrival must not depend on whether somebody sets it.
   */
  public MemoryStore(TimeSource time) {
    this.time = time;
    this.epochOffset =
        ChronoUnit.MICROS.between(Instant.EPOCH, time.now()) - micros(time.nanoTime());
  }

  synchronized void connect(BackendContext client) {
    clients.put(client.identity().clientId(), client);
  }

  synchronized void disconnect(BackendContext client) {
    clients.remove(client.identity().clientId());
  }

  // ---- what a backend does

  AcquireResult acquire(AcquireRequest request, ClientIdentity client) {
    return inside(request.resource(), true, step -> step.acquire(request, client));
  }

  List<AcquireResult> acquireAll(List<AcquireRequest> requests, ClientIdentity client) {
    synchronized (this) { // the monitor is reentrant: all of them happen in one step
      for (AcquireRequest request : requests) {
        if (!inside(request.resource(), false, ResourceStep::isFree)) {
          return List.of(new AcquireResult.Busy(-1));
        }
      }
      return requests.stream().map(request -> acquire(request, client)).toList();
    }
  }

  ReleaseResult release(Resource resource, Owner owner) {
    return inside(resource, false, step -> step.release(owner));
  }

  RenewResult renew(RenewRequest request, ClientIdentity client) {
    boolean resumable = request.resumption() != null;
    return inside(request.resource(), resumable, step -> step.renew(request, client));
  }

  boolean holds(Holding holding) {
    return inside(holding.resource(), false, (step, state) -> state.isHolder(holding.owner()));
  }

  boolean forceRelease(Resource resource, Holders holders) {
    return inside(resource, false, step -> step.force(holders));
  }

  LockSnapshot inspect(Resource resource) {
    return inside(resource, false, (step, state) -> state.snapshot(micros(time.nanoTime())));
  }

  void setLimit(Resource resource, int declared, int limit) {
    inside(
        resource,
        true,
        step -> {
          step.setLimit(declared, limit);
          return true;
        });
  }

  boolean trySetCount(Resource resource, long count) {
    return inside(resource, true, step -> step.trySetCount(count));
  }

  long countDown(Resource resource) {
    return inside(resource, false, ResourceStep::countDown);
  }

  long count(Resource resource) {
    return inside(resource, false, ResourceStep::count);
  }

  // ---- what a test does

  /** Removes what is held of a key, as somebody would by hand; waiters stay. */
  public synchronized void remove(String key) {
    ResourceState state = states.get(key);
    if (state != null) {
      state.removeHolders();
      drop(key, state);
    }
  }

  /** Forgets everything, tokens too, as a store that is restarted without its data. */
  public synchronized void clear() {
    states.clear();
    lastTick = 0;
  }

  /** How many keys are held, waited for, or counted. */
  public synchronized int size() {
    for (String key : List.copyOf(states.keySet())) {
      ResourceState state = states.get(key);
      if (state != null) {
        state.expire(micros(time.nanoTime()));
        drop(key, state);
      }
    }
    return states.size();
  }

  // ---- one step at a time

  private <T> T inside(Resource resource, boolean create, Function<ResourceStep, T> work) {
    return inside(resource, create, (step, state) -> work.apply(step));
  }

  private <T> T inside(
      Resource resource, boolean create, BiFunction<ResourceStep, ResourceState, T> work) {
    List<Runnable> messages;
    T result;
    synchronized (this) {
      ResourceState state = states.get(resource.key());
      if (state == null) {
        state = new ResourceState();
        if (create) {
          states.put(resource.key(), state);
        }
      }
      long now = time.nanoTime();
      try {
        state.rememberTick(lastTick);
        ResourceStep step = new ResourceStep(state, resource, moment(now), rules);
        result = work.apply(step, state);
        messages = step.signals().stream().map(signal -> message(resource, signal, now)).toList();
      } finally {
        lastTick = state.lastTick();
        drop(resource.key(), state);
      }
    }
    messages.forEach(Runnable::run);
    return result;
  }

  private ResourceStep.Moment moment(long now) {
    return new ResourceStep.Moment(micros(now), micros(now) + epochOffset, 0);
  }

  private static long micros(long nanos) {
    return Math.floorDiv(nanos, 1000);
  }

  private void drop(String key, ResourceState state) {
    if (state.isUnused()) {
      states.remove(key, state);
    }
  }

  private Runnable message(Resource resource, StateSignal signal, long now) {
    Owner owner = signal.owner();
    BackendContext client = clients.get(owner.clientId());
    if (client == null) {
      return () -> {}; // it has gone
    }
    BackendSignals signals = client.signals();
    if (signal instanceof StateSignal.Granted granted) {
      PushedGrant grant =
          new PushedGrant(granted.tokens(), now, granted.leaseMillis(), granted.contended());
      return () -> signals.granted(resource, owner, grant);
    } else if (signal instanceof StateSignal.Contended) {
      return () -> signals.contended(owner);
    } else if (signal instanceof StateSignal.Lost) {
      return () -> signals.lost(owner);
    }
    return () -> signals.changed(owner);
  }
}
