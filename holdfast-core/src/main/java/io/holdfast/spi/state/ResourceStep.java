package io.holdfast.spi.state;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import io.holdfast.spi.state.ResourceState.Holder;
import io.holdfast.spi.state.ResourceState.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * One atomic step of one resource: what an engine does with a {@link ResourceState} at one moment.
 * The rules are the same for every store that keeps its state this way; only reading, writing and
 * telling differ. See {@link ResourceState} for an example.
 *
 * <pre>
 *   new ResourceStep(...)   ends leases that are over, then serves those who wait
 *   acquire, release, ...   changes the state, then serves those who wait
 *   signals()               whom to tell what, once the state is written
 * </pre>
 *
 * <p>To serve is to make the first waiter a holder for as long as it fits, so a waiter that hears
 * of its grant holds already. A method that throws may have changed the state; write it or not.
 */
public final class ResourceStep {
  /**
   * When a step happens.
   *
   * @param leaseMicros the clock that leases are counted with
   * @param epochMicros the time that people read, in microseconds since 1970; ticks are not behind
   *     it. A store with one clock gives the same twice
   * @param leastTick ticks are not behind this either: the highest tick plus one that the client
   *     has seen, in case the store has lost what it knew
   */
  public record Moment(long leaseMicros, long epochMicros, long leastTick) {}

  /**
   * What differs from store to store.
   *
   * @param claimWindowMillis for how long at most a waiter holds what it was given without asking,
   *     until it is heard of
   * @param reachable true for owners that can be told; others are not served
   */
  public record Rules(long claimWindowMillis, Predicate<Owner> reachable) {}

  private final ResourceState state;
  private final Resource resource;
  private final Moment moment;
  private final long now;
  private final Rules rules;
  private final List<StateSignal> signals = new ArrayList<>(2);

  /**
   * Starts a step.
   *
   * @throws BackendException when the key is in use as another kind of resource
   */
  public ResourceStep(ResourceState state, Resource resource, Moment moment, Rules rules) {
    this.state = state;
    this.resource = resource;
    this.moment = moment;
    this.now = moment.leaseMicros();
    this.rules = rules;
    state.expire(now);
    state.requireKind(resource);
    state.kind = resource.kind();
    serve();
  }

  /** Whom to tell what, in this order. */
  public List<StateSignal> signals() {
    return signals;
  }

  /** True if nobody has it, nobody wants it, and nothing is to be remembered of it. */
  public boolean isFree() {
    return state.isFree(now);
  }

  /**
   * Tries to take it.
   *
   * @param client who asks, for people who look at the lock
   * @throws BackendException when others say that there is another number
   */
  public AcquireResult acquire(AcquireRequest request, ClientIdentity client) {
    Owner owner = request.owner();
    heardByItself(owner);
    declare(request.claim().limit());
    int amount = request.claim().amount();
    boolean holds = state.isHolder(owner);
    boolean turn = holds || request.claim().overtakes() || state.isNext(owner, now);
    boolean again = holds && state.amountOf(owner) >= amount; // held whatever the limit is by now
    if (again || (turn && state.fits(owner, amount))) {
      long tick = nextTick();
      grant(owner, client, amount, request.thread(), request.leaseMillis(), tick, 0);
      serve(); // less than before may leave room for others
      return new AcquireResult.Granted(
          TokenBlock.ofTick(tick), request.leaseMillis(), state.isContended(owner));
    }
    if (request.enqueue() && state.enqueue(waiter(request, client), earlierBy(request) > 0)) {
      tellWanted();
    }
    return new AcquireResult.Busy(state.millisToNextEnd(now));
  }

  private void tellWanted() {
    for (Owner holder : state.owners()) {
      if (state.isContended(holder)) {
        signals.add(new StateSignal.Contended(holder));
      }
    }
  }

  /** Gives up what the owner holds, and its place among those who wait. */
  public ReleaseResult release(Owner owner) {
    heardByItself(owner);
    state.leave(owner);
    boolean held = state.holders.remove(owner) != null;
    if (held) {
      nextTick(); // a renewal that comes late must not undo it
    }
    serve();
    return held ? new ReleaseResult.Released() : new ReleaseResult.NotHeld();
  }

  /**
   * Starts a lease anew.
   *
   * @param client who asks, in case it has to be put back
   */
  public RenewResult renew(RenewRequest request, ClientIdentity client) {
    Holder own = state.holders.get(request.owner());
    long end = ResourceState.endOf(now, request.leaseMillis());
    if (own != null) {
      int amount = Math.min(own.amount(), request.claim().amount());
      state.holders.put(
          own.owner(),
          new Holder(
              own.owner(), own.client(), amount, own.thread(), own.since(), end, own.tick()));
      serve(); // less than before may leave room for others
      return new RenewResult.Renewed(request.leaseMillis(), state.isContended(own.owner()));
    }
    RenewRequest.Resumption resumption = request.resumption();
    if (resumption == null || !isLatest(resumption.tokens()) || !state.holders.isEmpty()) {
      return new RenewResult.Lost();
    }
    declare(request.claim().limit());
    state.hold(
        new Holder(
            request.owner(),
            client,
            request.claim().amount(),
            resumption.thread(),
            moment.epochMicros(),
            end,
            TokenBlock.tickOf(resumption.tokens())));
    return new RenewResult.Resumed(request.leaseMillis(), state.isContended(request.owner()));
  }

  /** True if nobody has been granted anything since. */
  private boolean isLatest(TokenBlock tokens) {
    return state.lastTick() != 0 && state.lastTick() <= TokenBlock.tickOf(tokens);
  }

  /**
   * Takes it away from those who are meant; true if one of them held it. They cannot resume it. A
   * latch is opened; true if it was closed.
   */
  public boolean force(Holders meant) {
    if (resource.kind() == Resource.Kind.LATCH) {
      return open();
    }
    List<Owner> owners = state.owners(meant);
    nextTick(); // nor one that has vanished and has not noticed
    owners.forEach(state.holders::remove);
    owners.forEach(owner -> signals.add(new StateSignal.Lost(owner)));
    serve();
    return !owners.isEmpty();
  }

  /** Changes how much there is, for everyone, from now on. */
  public void setLimit(int declared, int limit) {
    declare(declared);
    state.declared = declared;
    state.limit = limit;
    serve();
    tellWanted(); // if there is less than is held now
  }

  /** Sets the count of a latch that has none; false if it has one. */
  public boolean trySetCount(long count) {
    if (state.count != 0) {
      return false;
    }
    state.count = count;
    return true;
  }

  /**
   * Counts a latch down; -1 if it was open. At zero everyone who waits may pass, even if the latch
   * is set again before they look.
   */
  public long countDown() {
    if (state.count == 0) {
      return -1;
    }
    if (state.count == 1) {
      open();
      return 0;
    }
    state.count--;
    return state.count;
  }

  private boolean open() {
    boolean closed = state.count != 0;
    state.count = 0;
    state.waiters.keySet().forEach(owner -> signals.add(new StateSignal.Changed(owner)));
    state.passedLatch.putAll(state.waiters);
    state.waiters.clear();
    return closed;
  }

  /** The count of a latch. */
  public long count() {
    return state.count;
  }

  /** Who asks gets an answer; what it was given at the start of this step is not told as well. */
  private void heardByItself(Owner owner) {
    signals.removeIf(
        signal -> signal instanceof StateSignal.Granted && signal.owner().equals(owner));
  }

  /**
   * Every claim says how much there is in all; the first is believed, others must agree. While
   * somebody has changed the number, what claims say does not count.
   */
  private void declare(int limit) {
    if (state.declared == 0) {
      state.declared = limit;
      state.limit = state.limit == 0 ? limit : state.limit;
    } else if (state.declared != limit && !state.hasChangedLimit()) {
      throw new BackendException(
          "%s has %d permits for others and cannot have %d here; give the same number everywhere"
              .formatted(resource, state.declared, limit),
          null);
    }
  }

  /** Grants to waiters in order for as long as they fit; one that cannot be told is skipped. */
  private void serve() {
    for (Waiter next = state.nextThatFits(now); next != null; next = state.nextThatFits(now)) {
      Owner owner = next.owner();
      if (!rules.reachable().test(owner)) {
        state.leave(owner);
        continue;
      }
      long tick = nextTick();
      long lease = Math.min(next.leaseMillis(), rules.claimWindowMillis());
      grant(owner, next.client(), next.claim().amount(), next.thread(), lease, tick, now);
      signals.add(
          new StateSignal.Granted(owner, TokenBlock.ofTick(tick), lease, state.isContended(owner)));
    }
  }

  /** Who passes a latch holds nothing, so there is nothing to remember. */
  private long nextTick() {
    long least = Math.max(moment.epochMicros(), moment.leastTick());
    return resource.kind() == Resource.Kind.LATCH ? least : state.nextTick(least);
  }

  private void grant(
      Owner owner,
      ClientIdentity client,
      int amount,
      String thread,
      long leaseMillis,
      long tick,
      long unheardSince) {
    if (resource.kind() == Resource.Kind.LATCH) {
      state.leave(owner);
      return;
    }
    long end = ResourceState.endOf(now, leaseMillis);
    long since = moment.epochMicros();
    state.hold(new Holder(owner, client, amount, thread, since, end, tick, unheardSince));
  }

  /**
   * How much earlier than now it came, if the store does not know it: it has waited in its process,
   * or in this queue until it was taken for dead or could not be told.
   */
  private static long earlierBy(AcquireRequest request) {
    return Math.max(request.waitedMicros(), request.queuedMicros());
  }

  private Waiter waiter(AcquireRequest request, ClientIdentity client) {
    return new Waiter(
        request.owner(),
        client,
        request.claim(),
        request.leaseMillis(),
        request.thread(),
        request.note(),
        moment.epochMicros() - earlierBy(request),
        ResourceState.endOf(now, request.waiterTtlMillis()),
        now);
  }
}
