package io.holdfast.memory;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TimeSource;
import io.holdfast.spi.TokenBlock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Locks in the memory of this process, shared by every manager that uses the same store. It follows
 * the rules of a remote store to the letter: leases run out by its own clock, a release grants to
 * the next waiters, tokens come from ticks of the clock.
 *
 * <p>One monitor guards everything; signals are collected inside it and sent outside, on the thread
 * of the caller.
 */
public final class MemoryStore {
  private final TimeSource time;
  private final Map<String, BackendContext> clients = new HashMap<>();
  private final Map<String, MemoryEntry> entries = new HashMap<>();
  private long lastTick;

  /** An empty store that counts leases with the given clock. */
  public MemoryStore(TimeSource time) {
    this.time = time;
  }

  synchronized void connect(BackendContext client) {
    clients.put(client.identity().clientId(), client);
  }

  synchronized void disconnect(BackendContext client) {
    clients.remove(client.identity().clientId());
  }

  // ---- what a backend does

  AcquireResult acquire(AcquireRequest request) {
    return inside(request.resource(), true, change -> acquire(request, change));
  }

  List<AcquireResult> acquireAll(List<AcquireRequest> requests) {
    synchronized (this) { // the monitor is reentrant: all of them happen in one step
      for (AcquireRequest request : requests) {
        MemoryEntry present = entries.get(request.key());
        if (present != null) {
          present.expire(time.nanoTime());
        }
        if (present != null && !present.isUnused()) {
          return List.of(new AcquireResult.Busy(-1));
        }
      }
      return requests.stream().map(this::acquire).toList();
    }
  }

  private AcquireResult acquire(AcquireRequest request, Change change) {
    MemoryEntry entry = change.entry;
    entry.declare(request.claim(), request.resource());
    boolean turn =
        entry.holds(request.owner())
            || request.claim().overtakes()
            || entry.isNext(request.owner(), change.now);
    if (request.claim().amount() > entry.limit()) {
      entry.leave(request.owner());
      throw new BackendException(
          "%s has %d permits now; %d cannot be had"
              .formatted(request.resource(), entry.limit(), request.claim().amount()),
          null);
    }
    if (turn && entry.fits(request.owner(), request.claim().amount())) {
      long tick = nextTick();
      entry.grant(request, tick, time.now(), change.now);
      change.serve(); // less than before may leave room for others
      return new AcquireResult.Granted(
          TokenBlock.ofTick(tick), request.leaseMillis(), entry.hasWaiters());
    }
    if (request.enqueue() && entry.enqueue(request, time.now(), change.now)) {
      entry.owners().forEach(change::tellWanted);
    }
    return new AcquireResult.Busy(entry.millisToNextEnd(change.now));
  }

  ReleaseResult release(Resource resource, Owner owner) {
    return inside(
        resource,
        false,
        change -> {
          change.entry.leave(owner);
          boolean held = change.entry.release(owner);
          if (held) {
            nextTick(); // a renewal that comes late must not undo it
          }
          change.serve();
          return held ? new ReleaseResult.Released() : new ReleaseResult.NotHeld();
        });
  }

  RenewResult renew(RenewRequest request) {
    boolean resumable = request.resumption() != null;
    return inside(request.resource(), resumable, change -> renew(request, change));
  }

  private RenewResult renew(RenewRequest request, Change change) {
    MemoryEntry entry = change.entry;
    if (entry.renew(request, change.now)) {
      change.serve(); // less than before may leave room for others
      return new RenewResult.Renewed(request.leaseMillis(), entry.hasWaiters());
    }
    RenewRequest.Resumption resumption = request.resumption();
    if (resumption == null || !isLatest(resumption.tokens()) || !entry.owners().isEmpty()) {
      return new RenewResult.Lost();
    }
    entry.declare(request.claim(), request.resource());
    entry.resume(request, resumption, time.now(), change.now);
    return new RenewResult.Resumed(request.leaseMillis(), entry.hasWaiters());
  }

  /** True if nobody has been granted anything since. */
  private boolean isLatest(TokenBlock tokens) {
    return lastTick != 0 && TokenBlock.ofTick(lastTick).first() <= tokens.first();
  }

  boolean holds(Holding holding) {
    return inside(holding.resource(), false, change -> change.entry.holds(holding.owner()));
  }

  boolean forceRelease(Resource resource) {
    return inside(
        resource,
        false,
        change -> {
          List<Owner> owners = change.entry.owners();
          owners.forEach(change.entry::release);
          nextTick(); // whoever has not heard of it cannot prove that nobody came between
          owners.forEach(change::tellLost);
          change.serve();
          return !owners.isEmpty();
        });
  }

  LockSnapshot inspect(Resource resource) {
    return inside(resource, false, change -> change.entry.snapshot(clients, change.now));
  }

  void setLimit(Resource resource, int declared, int limit) {
    inside(
        resource,
        true,
        change -> {
          change.entry.declare(Claim.permits(0, declared), resource);
          change.entry.setLimit(limit);
          change.entry.takeWaitersAbove(limit).forEach(change::tellChanged);
          change.serve();
          return true;
        });
  }

  boolean trySetCount(Resource resource, long count) {
    return inside(resource, true, change -> change.entry.trySetCount(count));
  }

  long countDown(Resource resource) {
    return inside(
        resource,
        false,
        change -> {
          long left = change.entry.countDown();
          if (left == 0) {
            change.entry.letWaitersThrough().forEach(change::tellChanged);
          }
          return left;
        });
  }

  long count(Resource resource) {
    return inside(resource, false, change -> change.entry.count());
  }

  // ---- what a test does

  /** Removes what is held of a key, as somebody would by hand; waiters stay. */
  public synchronized void remove(String key) {
    MemoryEntry entry = entries.get(key);
    if (entry != null) {
      entry.owners().forEach(entry::release);
      drop(key, entry);
    }
  }

  /** Forgets everything, tokens too, as a store that is restarted without its data. */
  public synchronized void clear() {
    entries.clear();
    lastTick = 0;
  }

  /** How many keys are held, waited for, or counted. */
  public synchronized int size() {
    for (String key : List.copyOf(entries.keySet())) {
      MemoryEntry entry = entries.get(key);
      if (entry != null) {
        entry.expire(time.nanoTime());
        drop(key, entry);
      }
    }
    return entries.size();
  }

  // ---- one change at a time

  private <T> T inside(Resource resource, boolean create, Function<Change, T> work) {
    Change change;
    T result;
    synchronized (this) {
      MemoryEntry entry = entries.get(resource.key());
      if (entry == null) {
        entry = new MemoryEntry(resource.kind());
        if (create) {
          entries.put(resource.key(), entry);
        }
      }
      if (entry.kind() != resource.kind()) {
        throw new BackendException(
            "the key '%s' is in use as a %s and cannot be a %s as well"
                .formatted(resource.key(), entry.kind().text(), resource.kind().text()),
            null);
      }
      change = new Change(resource, entry);
      change.start();
      try {
        result = work.apply(change);
      } finally {
        drop(resource.key(), entry);
      }
    }
    change.signals.forEach(Runnable::run);
    return result;
  }

  private void drop(String key, MemoryEntry entry) {
    if (entry.isUnused()) {
      entries.remove(key, entry);
    }
  }

  private long nextTick() {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, time.now());
    lastTick = Math.max(lastTick + 1, micros);
    return lastTick;
  }

  /** One entry, one moment, and the signals to send afterwards. */
  private final class Change {
    final Resource resource;
    final MemoryEntry entry;
    final long now = time.nanoTime();
    final List<Runnable> signals = new ArrayList<>(2);

    Change(Resource resource, MemoryEntry entry) {
      this.resource = resource;
      this.entry = entry;
    }

    /** Leases that have ended make room for those who wait. */
    void start() {
      entry.expire(now);
      serve();
    }

    /** Grants to waiters in order for as long as they fit; one that cannot be told is skipped. */
    void serve() {
      while (true) {
        AcquireRequest next = entry.nextThatFits(now);
        if (next == null) {
          return;
        }
        BackendSignals waiting = signalsOf(next.owner());
        if (waiting == null) {
          entry.leave(next.owner());
          continue;
        }
        long tick = nextTick();
        entry.grant(next, tick, time.now(), now);
        PushedGrant grant =
            new PushedGrant(TokenBlock.ofTick(tick), now, next.leaseMillis(), entry.hasWaiters());
        signals.add(() -> waiting.granted(resource, next.owner(), grant));
      }
    }

    void tellWanted(Owner owner) {
      tell(owner, signals -> signals.wanted(owner));
    }

    void tellLost(Owner owner) {
      tell(owner, signals -> signals.lost(owner));
    }

    void tellChanged(Owner owner) {
      tell(owner, signals -> signals.changed(owner));
    }

    private void tell(Owner owner, Consumer<BackendSignals> message) {
      BackendSignals listening = signalsOf(owner);
      if (listening != null) {
        signals.add(() -> message.accept(listening));
      }
    }

    private @Nullable BackendSignals signalsOf(Owner owner) {
      BackendContext client = clients.get(owner.clientId());
      return client == null ? null : client.signals();
    }
  }
}
