package io.holdfast.jdbc.backend;

import io.holdfast.jdbc.backend.Interests.Interest;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;
import io.holdfast.spi.Scheduler.Cancellable;
import io.holdfast.spi.TokenBlock;
import io.holdfast.spi.state.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the rows in which this process has an interest while no notifications arrive: one query for
 * all of them, at once when an owner has just begun to wait, and less often the longer nothing
 * happens. A waiter notices a change after at most a quarter of the time that it has waited.
 *
 * <pre>
 *   asked  .  .   .    .     .       .         .            .               .  ... up to "poll"
 *          2 ms
 * </pre>
 *
 * <p>The rows of holders are polled too, ten times less often: a holder must learn that others wait
 * and that its lock was taken away. Nothing is sent while no owner of this process waits or holds.
 */
final class Poller {
  private static final Logger log = LoggerFactory.getLogger(Poller.class);
  private static final int BATCH = 200;
  private static final long SHORTEST_WAITING = Duration.ofMillis(2).toNanos();
  private static final long SHORTEST_HOLDING = Duration.ofMillis(20).toNanos();
  private static final long LONGEST_HOLDING = Duration.ofSeconds(5).toNanos();

  private final BackendContext context;
  private final Interests interests;
  private final SignalDispatcher dispatcher;
  private final Database database;
  private final LockTable table;
  private final long longestWaiting;
  private final BooleanSupplier needed;

  // Guarded by this.
  private @Nullable Cancellable plan;
  private long plannedFor;
  private boolean polling;
  private boolean closed;
  private long lastPoll;

  /**
   * @param needed false while notifications arrive
   */
  Poller(
      BackendContext context,
      Interests interests,
      SignalDispatcher dispatcher,
      Database database,
      LockTable table,
      Duration longest,
      BooleanSupplier needed) {
    this.context = context;
    this.interests = interests;
    this.dispatcher = dispatcher;
    this.database = database;
    this.table = table;
    this.longestWaiting = longest.toNanos();
    this.needed = needed;
    this.lastPoll = context.time().nanoTime();
  }

  /** An owner waits, or holds, from now on. */
  void interested(boolean holding) {
    plan(holding ? SHORTEST_HOLDING : Math.min(SHORTEST_WAITING, longestWaiting));
  }

  /** Notifications do not arrive any more. */
  void takeOver() {
    plan(0);
  }

  synchronized void close() {
    closed = true;
    if (plan != null) {
      plan.cancel();
    }
  }

  private synchronized void plan(long delay) {
    long due = context.time().nanoTime() + delay;
    if (closed || polling || !needed.getAsBoolean()) {
      return;
    }
    if (plan != null) {
      if (due - plannedFor >= 0) {
        return;
      }
      plan.cancel();
    }
    plannedFor = due;
    plan = context.scheduler().schedule(delay, this::poll);
  }

  /** Runs on the timer; never blocks. */
  private void poll() {
    long now = context.time().nanoTime();
    List<Interest> all = new ArrayList<>(interests.all());
    synchronized (this) {
      plan = null;
      if (closed || polling || all.isEmpty()) {
        return;
      }
      long early = soonest(all) - now;
      if (early > 0) {
        plan(early);
        return;
      }
      polling = true;
      lastPoll = now;
    }
    poll(all, 0);
  }

  /** When the first of these interests is due. */
  private long soonest(List<Interest> all) {
    long now = context.time().nanoTime();
    long soonest = now + LONGEST_HOLDING;
    for (Interest interest : all) {
      long seen = lastPoll - interest.since() > 0 ? lastPoll : interest.since();
      long due = seen + interval(interest, now);
      soonest = due - soonest < 0 ? due : soonest;
    }
    return soonest;
  }

  private long interval(Interest interest, long now) {
    long quarter = (now - interest.since()) / 4;
    long interval =
        interest.holding()
            ? Math.max(SHORTEST_HOLDING, Math.min(quarter, LONGEST_HOLDING))
            : Math.min(longestWaiting, Math.max(SHORTEST_WAITING, quarter));
    return (long) (interval * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
  }

  private void poll(List<Interest> all, int from) {
    List<Interest> some = all.subList(from, Math.min(all.size(), from + BATCH));
    Set<Resource> keys = new LinkedHashSet<>();
    some.forEach(interest -> keys.add(interest.resource()));
    read(keys)
        .whenComplete(
            (rows, fault) -> {
              if (fault != null) {
                log.debug("polling the rows failed", fault);
              } else {
                some.forEach(interest -> dispatchSafely(interest, rows));
              }
              if (fault == null && from + BATCH < all.size()) {
                poll(all, from + BATCH);
              } else {
                polled();
              }
            });
  }

  private CompletableFuture<Rows> read(Set<Resource> keys) {
    try {
      return database.read(session -> table.read(session, keys, false));
    } catch (RuntimeException | Error e) { // as when no thread can be started
      return CompletableFuture.failedFuture(e);
    }
  }

  private void polled() {
    List<Interest> all = new ArrayList<>(interests.all());
    synchronized (this) {
      polling = false;
      if (!all.isEmpty()) {
        plan(Math.max(SHORTEST_WAITING / 2, soonest(all) - context.time().nanoTime()));
      }
    }
  }

  /** An invalid row must not stop the polling of others. */
  private void dispatchSafely(Interest interest, Rows rows) {
    try {
      dispatch(interest, rows);
    } catch (RuntimeException | Error e) {
      log.warn("{}: the row is invalid", interest.resource(), e);
    }
  }

  private void dispatch(Interest interest, Rows rows) {
    Owner owner = interest.owner();
    if (!interest.equals(interests.find(owner))) {
      return; // the interest has changed since
    }
    ResourceState state = rows.state(interest.resource());
    if (interest.holding()) {
      if (!state.isHolder(owner)) {
        dispatcher.lost(owner);
      } else if (state.isContended(owner)) {
        dispatcher.signals().contended(owner);
      }
      return;
    }
    TokenBlock tokens = state.tokensOf(owner);
    long left = state.remainingMillis(owner, rows.nowMicros());
    if (tokens != null && left > 0) {
      PushedGrant grant = new PushedGrant(tokens, rows.asOfNanos(), left, state.isContended(owner));
      dispatcher.granted(interest.resource(), owner, grant);
    } else if (interest.confirmed() && !state.isWaiter(owner)) {
      dispatcher.signals().changed(owner); // passed the latch, or removed from the queue
    }
  }
}
