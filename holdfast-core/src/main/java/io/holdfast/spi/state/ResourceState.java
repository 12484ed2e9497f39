package io.holdfast.spi.state;

import io.holdfast.spi.BackendException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Holders;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that a store knows about one key: how much there is of it, who holds what until when, who
 * waits for how much, and for a latch the count. It fits into one line of text, so that a store
 * that can change one value atomically, a row or a node or a document, can be an engine:
 *
 * <pre>{@code
 * ResourceState state = ResourceState.parse(row.text(), row.lastTick());
 * ResourceStep step = new ResourceStep(state, request.resource(), moment, rules);
 * AcquireResult result = step.acquire(request, identity);
 * row.write(state.text(), state.lastTick());   // atomically with the reading, then
 * step.signals().forEach(...);                 // tell those whom it concerns
 * }</pre>
 *
 * <p>What may happen is in {@link ResourceStep}; here are the facts and the small changes to them.
 * Times are microseconds of the store's clock. Not safe for use by several threads.
 */
public final class ResourceState {
  private static final long MICROS_PER_MILLI = 1000;
  private static final long LATCHES_ARE_KEPT_FOR = 30L * 24 * 3600 * 1_000_000;

  /**
   * Who has a part of the resource, until when.
   *
   * @param unheardSince when it was given its part without having asked just then; 0 once it has
   *     been heard of
   */
  record Holder(
      Owner owner,
      ClientIdentity client,
      int amount,
      String thread,
      long since,
      long end,
      long tick,
      long unheardSince) {
    Holder(
        Owner owner,
        ClientIdentity client,
        int amount,
        String thread,
        long since,
        long end,
        long tick) {
      this(owner, client, amount, thread, since, end, tick, 0);
    }
  }

  /**
   * Who waits for a part of it, and until when it is believed alive.
   *
   * @param heardAt when it asked last
   */
  record Waiter(
      Owner owner,
      ClientIdentity client,
      Claim claim,
      long leaseMillis,
      String thread,
      String note,
      long since,
      long believedAliveUntil,
      long heardAt) {
    /** A waiter asks three times, or more often, while it is believed alive. */
    private static final int ASKS = 3;

    /** True if it has not asked since then, and should have. */
    boolean isSilent(long since, long now) {
      long period = (believedAliveUntil - heardAt) / ASKS;
      return heardAt - since < 0 && now - heardAt > period;
    }
  }

  final Map<Owner, Holder> holders = new LinkedHashMap<>();
  final Map<Owner, Waiter> waiters = new LinkedHashMap<>();
  final Map<Owner, Waiter> passedLatch = new LinkedHashMap<>();
  Resource.@Nullable Kind kind;
  int declared;
  int limit;
  long count;
  private long lastTick;

  /** Something nobody holds or wants, and of which no earlier grant is known. */
  public ResourceState() {}

  /**
   * Reads what {@link #text()} wrote.
   *
   * @param text the text; empty for something nobody holds or wants
   * @param lastTick the tick of the last grant that is known of, 0 for none
   * @throws BackendException when somebody else wrote it
   */
  public static ResourceState parse(String text, long lastTick) {
    ResourceState state = new ResourceState();
    state.rememberTick(lastTick);
    StateText.read(text, state);
    return state;
  }

  /** All of it but the tick, in printable ASCII without quotes; empty when it {@link #isUnused}. */
  public String text() {
    return isUnused() ? "" : StateText.write(this);
  }

  /** What it is used as; null when it is not used. */
  public Resource.@Nullable Kind kind() {
    return isUnused() ? null : kind;
  }

  /** The tick of the last grant, 0 if there was none. */
  public long lastTick() {
    return lastTick;
  }

  /** The tick of the last grant that the store knows of, of this key or of all. */
  public void rememberTick(long tick) {
    lastTick = Math.max(lastTick, tick);
  }

  /** True when nobody holds it or waits, and there is nothing to remember. */
  public boolean isUnused() {
    return holders.isEmpty()
        && waiters.isEmpty()
        && passedLatch.isEmpty()
        && count == 0
        && !hasChangedLimit();
  }

  /** True if somebody has changed how much there is, so that what claims declare does not count. */
  boolean hasChangedLimit() {
    return limit != 0 && declared != 0 && limit != declared;
  }

  /** True if the owner holds a part of it, be its lease over or not. */
  public boolean isHolder(Owner owner) {
    return holders.containsKey(owner);
  }

  /** True if the owner is in the queue. */
  public boolean isWaiter(Owner owner) {
    return waiters.containsKey(owner);
  }

  /** True when somebody is in the queue. */
  public boolean hasWaiters() {
    return !waiters.isEmpty();
  }

  /**
   * True when a holder should not keep it for others of its own client: somebody of another client
   * waits, or more is held than there is since there is less.
   */
  public boolean isContended(Owner holder) {
    if (kind == Resource.Kind.SEMAPHORE && !fits(holder, amountOf(holder))) {
      return true;
    }
    if (waiters.isEmpty()) {
      return false;
    }
    for (Owner waiter : waiters.keySet()) {
      if (!waiter.clientId().equals(holder.clientId())) {
        return true;
      }
    }
    return false;
  }

  /** How much of it the owner holds. */
  int amountOf(Owner owner) {
    Holder own = holders.get(owner);
    return own == null ? 0 : own.amount();
  }

  /** Who holds it. */
  public List<Owner> owners() {
    return List.copyOf(holders.keySet());
  }

  /** Those of the holders who are meant. */
  List<Owner> owners(Holders meant) {
    return holders.values().stream()
        .filter(holder -> meant.include(holder.amount()))
        .map(Holder::owner)
        .toList();
  }

  /** The tokens of a holder; null if it is none. */
  public @Nullable TokenBlock tokensOf(Owner owner) {
    Holder own = holders.get(owner);
    return own == null ? null : TokenBlock.ofTick(own.tick());
  }

  /** Milliseconds until the lease of a holder ends, rounded down; 0 if it is over or none. */
  public long remainingMillis(Owner owner, long nowMicros) {
    Holder own = holders.get(owner);
    return own == null ? 0 : Math.max(0, (own.end() - nowMicros) / MICROS_PER_MILLI);
  }

  /**
   * From when on the text says nothing that matters any more, in microseconds of store time: all
   * leases are over then and all waiters given up. 0 if it does not say anything now.
   */
  public long obsoleteFrom(long nowMicros) {
    if (hasChangedLimit()) {
      return Long.MAX_VALUE;
    }
    long last = count == 0 ? 0 : nowMicros + LATCHES_ARE_KEPT_FOR;
    for (Holder holder : holders.values()) {
      last = Math.max(last, holder.end());
    }
    for (Waiter waiter : waiters.values()) {
      last = Math.max(last, waiter.believedAliveUntil());
    }
    for (Waiter waiter : passedLatch.values()) {
      last = Math.max(last, waiter.believedAliveUntil());
    }
    return last;
  }

  /** Takes out everyone who holds it and tells nobody, as somebody would by hand; waiters stay. */
  public void removeHolders() {
    holders.clear();
  }

  /** Ends the leases whose time is over, and forgets those who waited when nothing else is left. */
  public void expire(long nowMicros) {
    long unheardSince = 0;
    Iterator<Holder> each = holders.values().iterator();
    while (each.hasNext()) {
      Holder holder = each.next();
      if (nowMicros - holder.end() >= 0) {
        each.remove();
        unheardSince = Math.max(unheardSince, holder.unheardSince());
      }
    }
    if (unheardSince != 0) {
      dropSilent(unheardSince, nowMicros);
    }
    passedLatch.values().removeIf(waiter -> !isAlive(waiter, nowMicros));
    if (isFree(nowMicros)) {
      waiters.clear();
      declared = 0;
      limit = 0;
    }
  }

  /**
   * Somebody was given its part and did not take it. Waiters that have been silent since then may
   * have died with it, and would cost a turn each: those before the first that has asked are
   * dropped. One that lives has its place again when it asks.
   */
  private void dropSilent(long since, long now) {
    List<Owner> silent = new ArrayList<>();
    for (Waiter waiter : waiters.values()) {
      if (!waiter.isSilent(since, now)) {
        silent.forEach(waiters::remove);
        return;
      }
      silent.add(waiter.owner());
    }
  }

  /**
   * A key is of one kind for as long as it is in use.
   *
   * @throws BackendException when it is of another kind
   */
  public void requireKind(Resource resource) {
    if (!isUnused() && kind != null && kind != resource.kind()) {
      throw new BackendException(
          "the key '%s' is in use as a %s and cannot be a %s as well"
              .formatted(resource.key(), kind.label(), resource.kind().label()),
          null);
    }
  }

  /** A line for people that says who holds it; empty when nobody does. */
  public String holderText() {
    Iterator<Holder> each = holders.values().iterator();
    if (!each.hasNext()) {
      return "";
    }
    Holder first = each.next();
    String more = holders.size() == 1 ? "" : " and " + (holders.size() - 1) + " more";
    return "%s, %s, process %d, %s%s"
        .formatted(
            first.client().application(),
            first.client().host(),
            first.client().pid(),
            first.thread(),
            more);
  }

  /** What it is at a moment, without those whose lease is over. */
  public LockSnapshot snapshot(long nowMicros) {
    List<LockSnapshot.Holder> held = new ArrayList<>();
    for (Holder holder : holders.values()) {
      if (nowMicros - holder.end() < 0) {
        held.add(
            new LockSnapshot.Holder(
                holder.client(),
                holder.owner(),
                holder.amount(),
                holder.thread(),
                instant(holder.since()),
                (holder.end() - nowMicros) / MICROS_PER_MILLI,
                TokenBlock.ofTick(holder.tick()).first(),
                1));
      }
    }
    List<LockSnapshot.Waiter> waiting = new ArrayList<>();
    for (Waiter waiter : waiters.values()) {
      if (kind == Resource.Kind.LATCH && !isAlive(waiter, nowMicros)) {
        continue; // there is no queue in which its turn would come, and it be forgotten
      }
      waiting.add(
          new LockSnapshot.Waiter(
              waiter.client(),
              waiter.owner(),
              waiter.claim().amount(),
              waiter.thread(),
              instant(waiter.since()),
              waiter.note()));
    }
    return new LockSnapshot(held, waiting, limit, count);
  }

  private static Instant instant(long epochMicros) {
    return Instant.EPOCH.plus(epochMicros, ChronoUnit.MICROS);
  }

  // ---- small changes, for ResourceStep

  /** A tick above all earlier ones of this key, and not behind the clock. */
  long nextTick(long leastTick) {
    lastTick = Math.max(lastTick + 1, leastTick);
    return lastTick;
  }

  /** True if the amount is free, that of the owner itself counted as free. */
  boolean fits(Owner owner, int amount) {
    if (kind == Resource.Kind.LATCH) {
      return count == 0 || passedLatch.containsKey(owner);
    }
    long used = 0;
    for (Holder holder : holders.values()) {
      used += holder.owner().equals(owner) ? 0 : holder.amount();
    }
    return used + amount <= limit;
  }

  /** True if it wants more than there is at present: it waits, and holds up nobody. */
  private boolean wantsTooMuch(Waiter waiter) {
    return kind == Resource.Kind.SEMAPHORE && waiter.claim().amount() > limit;
  }

  /** True if nobody who is alive, and may be served at present, waits before this owner. */
  boolean isNext(Owner owner, long now) {
    if (kind == Resource.Kind.LATCH) {
      return true;
    }
    for (Waiter waiter : waiters.values()) {
      if (waiter.owner().equals(owner)) {
        return true;
      }
      if (isAlive(waiter, now) && !wantsTooMuch(waiter)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The first waiter if it fits now. Those that want too much are passed over, those that are not
   * alive any more are dropped on the way.
   */
  @Nullable Waiter nextThatFits(long now) {
    Iterator<Waiter> each = waiters.values().iterator();
    while (each.hasNext()) {
      Waiter waiter = each.next();
      if (!isAlive(waiter, now)) {
        each.remove();
      } else if (!wantsTooMuch(waiter)) {
        boolean fits = kind != Resource.Kind.LATCH && fits(waiter.owner(), waiter.claim().amount());
        return fits ? waiter : null;
      }
    }
    return null;
  }

  void hold(Holder holder) {
    leave(holder.owner());
    holders.put(holder.owner(), holder);
  }

  /**
   * Remembers a waiter; true if it is new. One that is known keeps its place and its time.
   *
   * @param hasWaited true if one that is new has waited already, here or elsewhere, and stands
   *     before those who came later
   */
  boolean enqueue(Waiter waiter, boolean hasWaited) {
    Waiter known = waiters.get(waiter.owner());
    Waiter kept =
        known == null
            ? waiter
            : new Waiter(
                waiter.owner(),
                waiter.client(),
                waiter.claim(),
                waiter.leaseMillis(),
                waiter.thread(),
                waiter.note(),
                known.since(),
                waiter.believedAliveUntil(),
                waiter.heardAt());
    List<Waiter> later = new ArrayList<>();
    if (known == null && hasWaited) {
      waiters.values().removeIf(each -> each.since() - waiter.since() > 0 && later.add(each));
    }
    waiters.put(waiter.owner(), kept);
    later.forEach(each -> waiters.put(each.owner(), each));
    return known == null;
  }

  void leave(Owner owner) {
    passedLatch.remove(owner);
    waiters.remove(owner);
  }

  /** Nobody has any of it, nobody alive wants any, and nothing is to be remembered. */
  boolean isFree(long now) {
    return holders.isEmpty()
        && passedLatch.isEmpty()
        && count == 0
        && !hasChangedLimit()
        && waiters.values().stream().noneMatch(waiter -> isAlive(waiter, now));
  }

  long millisToNextEnd(long now) {
    long next = -1;
    for (Holder holder : holders.values()) {
      long left = (holder.end() - now + MICROS_PER_MILLI - 1) / MICROS_PER_MILLI;
      next = next < 0 ? left : Math.min(next, left);
    }
    return next;
  }

  static long endOf(long now, long millis) {
    return now + millis * MICROS_PER_MILLI;
  }

  private static boolean isAlive(Waiter waiter, long now) {
    return now - waiter.believedAliveUntil() < 0;
  }
}
