package io.holdfast;

/**
 * What a {@link MetricsCollector} may ask a {@link LockManager} at any time, for numbers that go up
 * and down: how much is held, how many wait, whether the store answers. Nothing here costs a round
 * trip. A collector gets it when the manager starts and should let go of it when it stops.
 */
public interface MeteredManager {
  /** The kind of store, as in {@code redis}. */
  String engine();

  /** How the manager and its store are now. */
  LockHealth health();
}
