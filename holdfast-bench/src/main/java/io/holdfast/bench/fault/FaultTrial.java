package io.holdfast.bench.fault;

import io.holdfast.bench.fault.Happening.Kind;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.testservers.FaultyProxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One fault on one engine: a process holds, another waits, something goes wrong, and both tell what
 * they see of it. A lock that was kept is given back at the end, so that the next one's token is
 * seen in any case.
 */
final class FaultTrial {
  private static final Duration ACQUIRE = Duration.ofMinutes(2);

  /** Until a waiter waits for sure: nobody tells from outside. */
  private static final Duration SETTLE = Duration.ofMillis(700);

  private static final Duration MARGIN = Duration.ofMillis(1500);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final StoreHost store;
  private final List<FaultyProxy> way;
  private final Contender holder;
  private final Contender waiter;
  private final List<Contender> others;
  private final @Nullable ShiftedClock clock;
  private final Duration lease;

  /**
   * @param way of the holder to the store
   * @param clock of the store, if it can be moved
   */
  FaultTrial(
      StoreHost store,
      List<FaultyProxy> way,
      List<Contender> contenders,
      @Nullable ShiftedClock clock,
      Duration lease) {
    this.store = store;
    this.way = way;
    this.holder = contenders.get(0);
    this.waiter = contenders.get(1);
    this.others = contenders.subList(2, contenders.size());
    this.clock = clock;
    this.lease = lease;
  }

  Observation run(Fault fault, String key) throws InterruptedException {
    holder.acquire(key);
    long token = await(holder, Kind.GOT, ACQUIRE, "the lock was not free").number();
    waiter.acquire(key);
    Thread.sleep(SETTLE.toMillis());
    if (holder.seen(Kind.TOLD).isPresent() || waiter.seen(Kind.GOT).isPresent()) {
      throw new WorkerFailedException("the lock was lost before the fault");
    }
    return switch (fault) {
      case HOLDER_KILLED -> {
        long at = System.nanoTime();
        holder.close();
        Optional<Happening> next = waiter.await(Kind.GOT, lease.plus(PATIENCE));
        yield seen(false, at, next, token, "");
      }
      case HOLDER_PAUSED -> paused(token);
      case WAITER_KILLED -> waiterKilled(key, token);
      default -> {
        long at = System.nanoTime();
        String remark = inject(fault, key);
        yield observe(at, token, remark);
      }
    };
  }

  /** Returns when the fault is over; what is said about it goes into the table. */
  private String inject(Fault fault, String key) throws InterruptedException {
    switch (fault) {
      case CUT_SHORT -> cut(lease.dividedBy(3));
      case CUT_LONG -> cut(lease.plus(MARGIN));
      case SERVER_RESTARTED -> {
        return "down for %,d".formatted(store.restart());
      }
      case SERVER_PAUSED -> store.pause(lease.dividedBy(2));
      case LEADER_LOST -> store.stopLeader();
      case ENTRY_DELETED -> store.delete(key);
      case CLOCK_FORWARD -> clock().shift(Duration.ofHours(1));
      case CLOCK_BACK -> clock().shift(Duration.ZERO); // it was an hour ahead
      default -> throw new IllegalArgumentException(fault.name());
    }
    return "";
  }

  private void cut(Duration time) throws InterruptedException {
    way.forEach(FaultyProxy::refuse);
    Thread.sleep(time.toMillis());
    way.forEach(FaultyProxy::heal);
  }

  private ShiftedClock clock() {
    if (clock == null) {
      throw new IllegalStateException("the clock cannot be moved");
    }
    return clock;
  }

  private Observation observe(long at, long token, String remark) throws InterruptedException {
    Optional<Happening> next = waiter.await(Kind.GOT, lease.plus(MARGIN));
    if (next.isPresent() || holder.seen(Kind.TOLD).isPresent()) {
      next = waiter.await(Kind.GOT, PATIENCE);
      holder.await(Kind.TOLD, PATIENCE);
      return seen(false, at, next, token, remark);
    }
    holder.release();
    Happening released = await(holder, Kind.RELEASED, PATIENCE, "the release does not return");
    Optional<Happening> after = waiter.await(Kind.GOT, PATIENCE);
    return seen(true, released.number(), after, token, join(remark, released.text()));
  }

  private Observation paused(long token) throws InterruptedException {
    long at = System.nanoTime();
    holder.pause();
    Optional<Happening> next;
    long waking;
    try {
      next = waiter.await(Kind.GOT, lease.plus(PATIENCE));
    } finally {
      waking = System.nanoTime();
      holder.resume();
    }
    Happening told = await(holder, Kind.TOLD, PATIENCE, "the holder was not told");
    String remark = "told %,d after waking".formatted(millis(waking, told.nanos()));
    return new Observation(
        false,
        OptionalLong.empty(),
        OptionalLong.empty(),
        since(at, next),
        next.isPresent() && next.get().number() > token,
        remark);
  }

  private Observation waiterKilled(String key, long token) throws InterruptedException {
    Contender second = others.get(0);
    second.acquire(key);
    Thread.sleep(SETTLE.toMillis());
    waiter.close();
    holder.release();
    Happening released = await(holder, Kind.RELEASED, PATIENCE, "the release does not return");
    Optional<Happening> next = second.await(Kind.GOT, lease.plus(PATIENCE));
    return seen(false, released.number(), next, token, released.text());
  }

  private Observation seen(
      boolean kept, long at, Optional<Happening> next, long token, String remark) {
    Optional<Happening> told = kept ? Optional.empty() : holder.seen(Kind.TOLD);
    Optional<Happening> invalid = kept ? Optional.empty() : holder.seen(Kind.INVALID);
    String both = "";
    if (told.isPresent() && next.isPresent()) {
      long belief = millis(next.get().nanos(), invalid.orElse(told.get()).nanos());
      both = belief > 0 ? "both believed for %,d".formatted(belief) : "";
    }
    return new Observation(
        kept,
        since(at, told),
        since(at, invalid),
        since(at, next),
        next.isPresent() && next.get().number() > token,
        join(both, remark));
  }

  private static String join(String one, String other) {
    return one.isEmpty() || other.isEmpty() ? one + other : one + ", " + other;
  }

  private static OptionalLong since(long at, Optional<Happening> event) {
    return event.isPresent()
        ? OptionalLong.of(millis(at, event.get().nanos()))
        : OptionalLong.empty();
  }

  private static long millis(long from, long to) {
    return TimeUnit.NANOSECONDS.toMillis(to - from);
  }

  private static Happening await(Contender who, Kind kind, Duration limit, String otherwise)
      throws InterruptedException {
    return who.await(kind, limit)
        .orElseThrow(
            () ->
                new WorkerFailedException(
                    who.seen(Kind.FAILED).map(Happening::text).orElse(otherwise)));
  }
}
