package io.holdfast.memory;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.TimeSource;
import io.holdfast.spi.TokenBlock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Locks in the memory of this process, shared by every manager that uses the same store. It follows
 * the rules of a remote store to the letter: leases run out by its own clock, a release grants to
 * the first live waiter, tokens come from ticks of the clock.
 *
 * <p>One monitor guards everything; signals are collected inside it and sent outside, on the thread
 * of the caller.
 */
public final class MemoryStore {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final TimeSource time;
  private final Map<String, BackendContext> clients = new HashMap<>();
  private final Map<String, Entry> entries = new HashMap<>();
  private long lastTick;

  /** An empty store that counts leases with the given clock. */
  public MemoryStore(TimeSource time) {
    this.time = time;
  }

  /** A lock that is held or waited for. */
  private static final class Entry {
    @Nullable Holder holder;
    final Map<Owner, Waiter> waiters = new LinkedHashMap<>();
  }

  private record Holder(
      Owner owner, ClientIdentity client, String thread, Instant since, long end, long tick) {}

  private record Waiter(
      Owner owner, String thread, Instant since, long leaseMillis, long believedAliveUntil) {}

  synchronized void connect(BackendContext client) {
    clients.put(client.identity().clientId(), client);
  }

  synchronized void disconnect(BackendContext client) {
    clients.remove(client.identity().clientId());
  }

  AcquireResult acquire(AcquireRequest request) {
    List<Runnable> signals = new ArrayList<>(1);
    AcquireResult result;
    synchronized (this) {
      result = acquire(request, signals);
    }
    signals.forEach(Runnable::run);
    return result;
  }

  private AcquireResult acquire(AcquireRequest request, List<Runnable> signals) {
    Entry entry = entries.computeIfAbsent(request.key(), key -> new Entry());
    Holder holder = liveHolder(entry);
    Owner owner = request.owner();
    if (holder == null && !entry.waiters.isEmpty() && firstAlive(entry, owner) != null) {
      grantToNext(request.key(), entry, signals); // somebody came earlier
      holder = liveHolder(entry);
    }
    if (holder == null || holder.owner().equals(owner)) {
      entry.waiters.remove(owner);
      long tick = nextTick();
      entry.holder = holder(owner, request.thread(), request.leaseMillis(), tick);
      return new AcquireResult.Granted(TokenBlock.ofTick(tick), !entry.waiters.isEmpty());
    }
    if (request.enqueue()) {
      enqueue(request, entry, holder, signals);
    }
    long left = (holder.end() - time.nanoTime() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    return new AcquireResult.Busy(left);
  }

  private void enqueue(AcquireRequest request, Entry entry, Holder holder, List<Runnable> signals) {
    Owner owner = request.owner();
    Waiter known = entry.waiters.get(owner);
    Instant since = known != null ? known.since() : time.now();
    long until = time.nanoTime() + request.waiterTtlMillis() * NANOS_PER_MILLI;
    entry.waiters.put(
        owner, new Waiter(owner, request.thread(), since, request.leaseMillis(), until));
    BackendSignals holding = signalsOf(holder.owner());
    if (known == null && holding != null) {
      signals.add(() -> holding.wanted(request.key(), holder.owner()));
    }
  }

  ReleaseResult release(String key, Owner owner) {
    List<Runnable> signals = new ArrayList<>(1);
    boolean released;
    synchronized (this) {
      Entry entry = entries.get(key);
      if (entry == null) {
        return new ReleaseResult.NotHeld();
      }
      entry.waiters.remove(owner);
      Holder holder = liveHolder(entry);
      released = holder != null && holder.owner().equals(owner);
      if (released) {
        grantToNext(key, entry, signals);
      }
      dropIfUnused(key, entry);
    }
    signals.forEach(Runnable::run);
    return released ? new ReleaseResult.Released() : new ReleaseResult.NotHeld();
  }

  boolean forceRelease(String key) {
    List<Runnable> signals = new ArrayList<>(1);
    boolean held;
    synchronized (this) {
      Entry entry = entries.get(key);
      if (entry == null) {
        return false;
      }
      held = liveHolder(entry) != null;
      grantToNext(key, entry, signals);
      dropIfUnused(key, entry);
    }
    signals.forEach(Runnable::run);
    return held;
  }

  synchronized RenewResult renew(RenewRequest request) {
    Entry entry = entries.get(request.key());
    Holder holder = entry == null ? null : liveHolder(entry);
    if (entry == null || holder == null || !holder.owner().equals(request.owner())) {
      return new RenewResult.Lost();
    }
    long end = time.nanoTime() + request.leaseMillis() * NANOS_PER_MILLI;
    entry.holder =
        new Holder(
            holder.owner(), holder.client(), holder.thread(), holder.since(), end, holder.tick());
    return new RenewResult.Renewed(!entry.waiters.isEmpty());
  }

  synchronized LockSnapshot inspect(String key) {
    Entry entry = entries.get(key);
    if (entry == null) {
      return LockSnapshot.FREE;
    }
    Holder holder = liveHolder(entry);
    List<LockSnapshot.Waiter> waiters = new ArrayList<>();
    for (Waiter waiter : entry.waiters.values()) {
      BackendContext client = clients.get(waiter.owner().clientId());
      if (client != null) {
        waiters.add(
            new LockSnapshot.Waiter(
                client.identity(), waiter.owner(), waiter.thread(), waiter.since()));
      }
    }
    if (holder == null) {
      return new LockSnapshot(null, waiters);
    }
    long left = (holder.end() - time.nanoTime()) / NANOS_PER_MILLI;
    long token = TokenBlock.ofTick(holder.tick()).first();
    return new LockSnapshot(
        new LockSnapshot.Holder(
            holder.client(), holder.owner(), holder.thread(), holder.since(), left, token, 1),
        waiters);
  }

  /** Removes a lock, its holder's as well as others', as somebody would by hand. */
  public synchronized void remove(String key) {
    Entry entry = entries.get(key);
    if (entry != null) {
      entry.holder = null;
      dropIfUnused(key, entry);
    }
  }

  /** Forgets everything, tokens too, as a store that is restarted without its data. */
  public synchronized void clear() {
    entries.clear();
    lastTick = 0;
  }

  /** How many locks are held or waited for. */
  public synchronized int size() {
    entries
        .entrySet()
        .removeIf(e -> liveHolder(e.getValue()) == null && e.getValue().waiters.isEmpty());
    return entries.size();
  }

  // ---- inside the monitor

  private @Nullable Holder liveHolder(Entry entry) {
    Holder holder = entry.holder;
    if (holder != null && time.nanoTime() - holder.end() >= 0) {
      entry.holder = null;
      return null;
    }
    return holder;
  }

  /** The first waiter that is believed alive, or null if that is the one who asks. */
  private @Nullable Waiter firstAlive(Entry entry, Owner asking) {
    for (Waiter waiter : entry.waiters.values()) {
      if (waiter.owner().equals(asking)) {
        return null;
      }
      if (isAlive(waiter)) {
        return waiter;
      }
    }
    return null;
  }

  private void grantToNext(String key, Entry entry, List<Runnable> signals) {
    entry.holder = null;
    while (!entry.waiters.isEmpty()) {
      Waiter next = entry.waiters.values().iterator().next();
      entry.waiters.remove(next.owner());
      BackendSignals waiting = signalsOf(next.owner());
      if (waiting != null && isAlive(next)) {
        long tick = nextTick();
        long asOf = time.nanoTime();
        entry.holder = holder(next.owner(), next.thread(), next.leaseMillis(), tick);
        PushedGrant grant =
            new PushedGrant(
                TokenBlock.ofTick(tick), asOf, next.leaseMillis(), !entry.waiters.isEmpty());
        signals.add(() -> waiting.granted(key, next.owner(), grant));
        return;
      }
    }
  }

  private boolean isAlive(Waiter waiter) {
    return time.nanoTime() - waiter.believedAliveUntil() < 0;
  }

  private Holder holder(Owner owner, String thread, long leaseMillis, long tick) {
    BackendContext client = clients.get(owner.clientId());
    if (client == null) {
      throw new IllegalStateException("client " + owner.clientId() + " is not connected");
    }
    long end = time.nanoTime() + leaseMillis * NANOS_PER_MILLI;
    return new Holder(owner, client.identity(), thread, time.now(), end, tick);
  }

  private @Nullable BackendSignals signalsOf(Owner owner) {
    BackendContext client = clients.get(owner.clientId());
    return client == null ? null : client.signals();
  }

  private long nextTick() {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, time.now());
    lastTick = Math.max(lastTick + 1, micros);
    return lastTick;
  }

  private void dropIfUnused(String key, Entry entry) {
    if (entry.holder == null && entry.waiters.isEmpty()) {
      entries.remove(key);
    }
  }
}
