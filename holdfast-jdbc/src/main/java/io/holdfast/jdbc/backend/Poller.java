package io.holdfast.jdbc.backend;

import io.holdfast.jdbc.backend.Interests.Interest;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;
import io.holdfast.spi.ResourceState;
import io.holdfast.spi.Scheduler.Cancellable;
import io.holdfast.spi.TokenBlock;
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
 * Looks at the rows in which this process has an interest, where nobody tells it: one query for all
 * of them, at once when something has just begun and ever more rarely while nothing happens. A
 * quarter of the time that somebody has waited is how long it may wait in vain.
 *
 * <pre>
 *   asked  .  .   .    .     .       .         .            .               .  ... up to "poll"
 *          2 ms
 * </pre>
 *
 * <p>A holder is looked after too, ten times as rarely: it wants to know that others wait, and that
 * what it had was taken from it. Nothing is sent while nobody waits or holds.
 */
final class Poller {
  private static final Logger log = LoggerFactory.getLogger(Poller.class);
  private static final int BATCH = 200;
  private static final long SHORTEST_WAITING = Duration.ofMillis(2).toNanos();
  private static final long SHORTEST_HOLDING = Duration.ofMillis(20).toNanos();
  private static final long LONGEST_HOLDING = Duration.ofSeconds(5).toNanos();

  private final BackendContext context;
  private final Interests interests;
  private final SignalDispatcher news;
  private final Database database;
  private final LockTable table;
  private final long longestWaiting;
  private final BooleanSupplier needed;

  // Guarded by this.
  private @Nullable Cancellable plan;
  private long plannedFor;
  private boolean looking;
  private boolean closed;
  private long lastLook;

  /**
   * @param needed false while messages arrive
   */
  Poller(
      BackendContext context,
      Interests interests,
      SignalDispatcher news,
      Database database,
      LockTable table,
      Duration longest,
      BooleanSupplier needed) {
    this.context = context;
    this.interests = interests;
    this.news = news;
    this.database = database;
    this.table = table;
    this.longestWaiting = longest.toNanos();
    this.needed = needed;
    this.lastLook = context.time().nanoTime();
  }

  /** Somebody waits, or holds, from now on. */
  void interested(boolean holding) {
    plan(holding ? SHORTEST_HOLDING : Math.min(SHORTEST_WAITING, longestWaiting));
  }

  /** Messages do not arrive any more. */
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
    if (closed || looking || !needed.getAsBoolean()) {
      return;
    }
    if (plan != null) {
      if (due - plannedFor >= 0) {
        return;
      }
      plan.cancel();
    }
    plannedFor = due;
    plan = context.scheduler().schedule(delay, this::look);
  }

  /** On the timer: never blocks. */
  private void look() {
    long now = context.time().nanoTime();
    List<Interest> all = new ArrayList<>(interests.all());
    synchronized (this) {
      plan = null;
      if (closed || looking || all.isEmpty()) {
        return;
      }
      long early = soonest(all) - now;
      if (early > 0) {
        plan(early);
        return;
      }
      looking = true;
      lastLook = now;
    }
    look(all, 0);
  }

  /** When the first of them should be looked at. */
  private long soonest(List<Interest> all) {
    long now = context.time().nanoTime();
    long soonest = now + LONGEST_HOLDING;
    for (Interest interest : all) {
      long seen = lastLook - interest.since() > 0 ? lastLook : interest.since();
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

  private void look(List<Interest> all, int from) {
    List<Interest> some = all.subList(from, Math.min(all.size(), from + BATCH));
    Set<Resource> keys = new LinkedHashSet<>();
    some.forEach(interest -> keys.add(interest.resource()));
    read(keys)
        .whenComplete(
            (rows, fault) -> {
              if (fault != null) {
                log.debug("a look at the rows failed", fault);
              } else {
                some.forEach(interest -> tellSafely(interest, rows));
              }
              if (fault == null && from + BATCH < all.size()) {
                look(all, from + BATCH);
              } else {
                looked();
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

  private void looked() {
    List<Interest> all = new ArrayList<>(interests.all());
    synchronized (this) {
      looking = false;
      if (!all.isEmpty()) {
        plan(Math.max(SHORTEST_WAITING / 2, soonest(all) - context.time().nanoTime()));
      }
    }
  }

  /** What is wrong with one row must not stop the looking. */
  private void tellSafely(Interest interest, Rows rows) {
    try {
      tell(interest, rows);
    } catch (RuntimeException | Error e) {
      log.warn("{}: its row cannot be read", interest.resource(), e);
    }
  }

  private void tell(Interest interest, Rows rows) {
    Owner owner = interest.owner();
    if (!interest.equals(interests.find(owner))) {
      return; // something has happened since
    }
    ResourceState state = rows.state(interest.resource());
    if (interest.holding()) {
      if (!state.isHolder(owner)) {
        news.lost(owner);
      } else if (state.isContended(owner)) {
        news.signals().contended(owner);
      }
      return;
    }
    TokenBlock tokens = state.tokensOf(owner);
    long left = state.remainingMillis(owner, rows.nowMicros());
    if (tokens != null && left > 0) {
      PushedGrant grant = new PushedGrant(tokens, rows.asOfNanos(), left, state.isContended(owner));
      news.granted(interest.resource(), owner, grant);
    } else if (interest.confirmed() && !state.isWaiter(owner)) {
      news.signals().changed(owner); // let through, or taken out
    }
  }
}
