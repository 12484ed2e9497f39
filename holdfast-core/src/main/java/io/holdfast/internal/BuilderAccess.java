package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import io.holdfast.LockManagerBuilder;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link LockManagerBuilder} that only other modules of Holdfast may change: the
 * testkit moves the time, the simulation repeats itself. The builder gives access to them when its
 * class is initialized, so it is there for whoever has a builder.
 */
public abstract class BuilderAccess {
  private static volatile @Nullable BuilderAccess access;

  /** For the builder alone. */
  protected BuilderAccess() {}

  /** Called by the builder's class. */
  public static void set(BuilderAccess given) {
    access = given;
  }

  /** Clocks and scheduler to use, for tests that move the time themselves; returns the builder. */
  public static LockManagerBuilder time(
      LockManagerBuilder builder, TimeSource clocks, Scheduler timer) {
    access().setTime(builder, clocks, timer);
    return builder;
  }

  /**
   * Where ids come from, for tests that must be repeatable; returns the builder. The default cannot
   * be guessed, and that keeps strangers from passing for a waiter: never change it elsewhere.
   */
  public static LockManagerBuilder random(LockManagerBuilder builder, RandomGenerator generator) {
    access().setRandom(builder, generator);
    return builder;
  }

  private static BuilderAccess access() {
    return requireNonNull(access, "the builder's class gives access when it is initialized");
  }

  /** Sets the clocks. */
  protected abstract void setTime(LockManagerBuilder builder, TimeSource clocks, Scheduler timer);

  /** Sets where ids come from. */
  protected abstract void setRandom(LockManagerBuilder builder, RandomGenerator generator);
}
