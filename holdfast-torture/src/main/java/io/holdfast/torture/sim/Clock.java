package io.holdfast.torture.sim;

import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import java.time.Instant;
import java.util.concurrent.Executor;

/**
 * The clock, timer and executor of one place. It ticks a little faster or slower than true time and
 * shows another time of day.
 */
final class Clock implements TimeSource, Scheduler, Executor {
  private static final long LONGEST_TURN = 300_000;

  private final World world;
  private final World.Place place;
  private final double rate;
  private final long offset;

  Clock(World world, World.Place place, double rate, long offset) {
    this.world = world;
    this.place = place;
    this.rate = rate;
    this.offset = offset;
  }

  @Override
  public long nanoTime() {
    return offset + (long) (world.now() * rate);
  }

  @Override
  public Instant now() {
    return world.instant().plusNanos(offset);
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    return world.later((long) Math.ceil(delayNanos / rate), place, task)::run;
  }

  /** A thread of a pool gets its turn soon. */
  @Override
  public void execute(Runnable task) {
    world.later(world.random().nextLong(LONGEST_TURN), place, task);
  }
}
