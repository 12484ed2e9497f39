package io.holdfast.memory;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One key of a {@link MemoryStore}: how much there is of it, who holds what until when, who waits
 * for how much, and for a latch the count. Guarded by the store's monitor.
 */
final class MemoryEntry {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Resource.Kind kind;
  private final Map<Owner, Holder> holders = new LinkedHashMap<>();
  private final Map<Owner, Waiter> waiters = new LinkedHashMap<>();
  private final Map<Owner, Waiter> letThrough = new LinkedHashMap<>();
  private int declared;
  private int limit;
  private int used;
  private long count;

  private record Holder(
      Owner owner, int amount, String thread, Instant since, long end, long tick) {}

  private record Waiter(AcquireRequest request, Instant since, long believedAliveUntil) {}

  MemoryEntry(Resource.Kind kind) {
    this.kind = kind;
  }

  Resource.Kind kind() {
    return kind;
  }

  /** Every claim says how much there is in all; the first is believed, others must agree. */
  void declare(Claim claim, Resource resource) {
    if (declared == 0) {
      declared = claim.limit();
      limit = limit == 0 ? claim.limit() : limit;
    } else if (declared != claim.limit()) {
      throw new BackendException(
          "%s has %d permits for others and cannot have %d here; give the same number everywhere"
              .formatted(resource, declared, claim.limit()),
          null);
    }
  }

  int limit() {
    return limit;
  }

  /** Takes out those who want more than there is; they will be told so when they ask again. */
  List<Owner> takeWaitersAbove(int most) {
    List<Owner> taken = new ArrayList<>();
    waiters.values().stream()
        .filter(waiter -> waiter.request().claim().amount() > most)
        .forEach(waiter -> taken.add(waiter.request().owner()));
    taken.forEach(waiters::remove);
    return taken;
  }

  void setLimit(int number) {
    limit = number;
  }

  boolean holds(Owner owner) {
    return holders.containsKey(owner);
  }

  boolean hasWaiters() {
    return !waiters.isEmpty();
  }

  List<Owner> owners() {
    return List.copyOf(holders.keySet());
  }

  /** True if the amount is free, that of the owner itself counted as free. */
  boolean fits(Owner owner, int amount) {
    if (kind == Resource.Kind.LATCH) {
      return count == 0 || letThrough.containsKey(owner);
    }
    Holder own = holders.get(owner);
    return used - (own == null ? 0 : own.amount()) + amount <= limit;
  }

  /** True if nobody who is alive waits before this owner. */
  boolean isNext(Owner owner, long now) {
    if (kind == Resource.Kind.LATCH) {
      return true;
    }
    for (Waiter waiter : waiters.values()) {
      if (waiter.request().owner().equals(owner)) {
        return true;
      }
      if (isAlive(waiter, now)) {
        return false;
      }
    }
    return true;
  }

  /** The first waiter if it fits now; those that are not alive any more are dropped on the way. */
  @Nullable AcquireRequest nextThatFits(long now) {
    Iterator<Waiter> each = waiters.values().iterator();
    while (each.hasNext()) {
      Waiter waiter = each.next();
      if (isAlive(waiter, now)) {
        AcquireRequest request = waiter.request();
        boolean fits =
            kind != Resource.Kind.LATCH && fits(request.owner(), request.claim().amount());
        return fits ? request : null;
      }
      each.remove();
    }
    return null;
  }

  void grant(AcquireRequest request, long tick, Instant at, long now) {
    Owner owner = request.owner();
    waiters.remove(owner);
    letThrough.remove(owner);
    if (kind == Resource.Kind.LATCH) {
      return;
    }
    release(owner);
    int amount = request.claim().amount();
    used += amount;
    long end = now + request.leaseMillis() * NANOS_PER_MILLI;
    holders.put(owner, new Holder(owner, amount, request.thread(), at, end, tick));
  }

  boolean renew(RenewRequest request, long now) {
    Holder own = holders.get(request.owner());
    if (own == null) {
      return false;
    }
    int amount = Math.min(own.amount(), request.claim().amount());
    used -= own.amount() - amount;
    long end = now + request.leaseMillis() * NANOS_PER_MILLI;
    holders.put(
        own.owner(), new Holder(own.owner(), amount, own.thread(), own.since(), end, own.tick()));
    return true;
  }

  /** Puts back a holder that had vanished. Only if there is no other. */
  void resume(RenewRequest request, RenewRequest.Resumption resumption, Instant at, long now) {
    int amount = request.claim().amount();
    used += amount;
    long end = now + request.leaseMillis() * NANOS_PER_MILLI;
    long tick = TokenBlock.tickOf(resumption.tokens());
    holders.put(
        request.owner(), new Holder(request.owner(), amount, resumption.thread(), at, end, tick));
  }

  boolean release(Owner owner) {
    Holder own = holders.remove(owner);
    if (own == null) {
      return false;
    }
    used -= own.amount();
    return true;
  }

  /** Remembers a waiter; true if it is new. */
  boolean enqueue(AcquireRequest request, Instant at, long now) {
    Waiter known = waiters.get(request.owner());
    long until = now + request.waiterTtlMillis() * NANOS_PER_MILLI;
    waiters.put(request.owner(), new Waiter(request, known != null ? known.since() : at, until));
    return known == null;
  }

  void leave(Owner owner) {
    letThrough.remove(owner);
    waiters.remove(owner);
  }

  /** Everyone who waits for the zero may pass, even if the latch is set again before they look. */
  List<Owner> letWaitersThrough() {
    List<Owner> all = List.copyOf(waiters.keySet());
    letThrough.putAll(waiters);
    waiters.clear();
    return all;
  }

  /** Ends the leases whose time is over. */
  void expire(long now) {
    for (Holder holder : List.copyOf(holders.values())) {
      if (now - holder.end() >= 0) {
        release(holder.owner());
      }
    }
    letThrough.values().removeIf(waiter -> !isAlive(waiter, now));
  }

  long millisToNextEnd(long now) {
    long next = -1;
    for (Holder holder : holders.values()) {
      long left = (holder.end() - now + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
      next = next < 0 ? left : Math.min(next, left);
    }
    return next;
  }

  // ---- latch

  boolean trySetCount(long number) {
    if (count != 0) {
      return false;
    }
    count = number;
    return true;
  }

  long countDown() {
    if (count == 0) {
      return -1;
    }
    return --count;
  }

  long count() {
    return count;
  }

  // ---- looking

  boolean isUnused() {
    boolean changed = limit != 0 && declared != 0 && limit != declared;
    return holders.isEmpty() && waiters.isEmpty() && letThrough.isEmpty() && count == 0 && !changed;
  }

  LockSnapshot snapshot(Map<String, BackendContext> clients, long now) {
    List<LockSnapshot.Holder> held = new ArrayList<>();
    for (Holder holder : holders.values()) {
      BackendContext client = clients.get(holder.owner().clientId());
      if (client != null) {
        held.add(
            new LockSnapshot.Holder(
                client.identity(),
                holder.owner(),
                holder.amount(),
                holder.thread(),
                holder.since(),
                (holder.end() - now) / NANOS_PER_MILLI,
                TokenBlock.ofTick(holder.tick()).first(),
                1));
      }
    }
    List<LockSnapshot.Waiter> waiting = new ArrayList<>();
    for (Waiter waiter : waiters.values()) {
      AcquireRequest request = waiter.request();
      BackendContext client = clients.get(request.owner().clientId());
      if (client != null) {
        waiting.add(
            new LockSnapshot.Waiter(
                client.identity(),
                request.owner(),
                request.claim().amount(),
                request.thread(),
                waiter.since(),
                request.note()));
      }
    }
    return new LockSnapshot(held, waiting, limit);
  }

  private static boolean isAlive(Waiter waiter, long now) {
    return now - waiter.believedAliveUntil() < 0;
  }
}
