package io.holdfast.spi;

/**
 * What core gives an engine when it opens it.
 *
 * @param identity which manager this is
 * @param signals where to report what the store says on its own
 * @param time the clocks
 * @param scheduler for the rare case that a backend needs to do something later
 */
public record BackendContext(
    ClientIdentity identity, BackendSignals signals, TimeSource time, Scheduler scheduler) {}
