package io.holdfast.internal.watchdog;

import io.holdfast.LockConfig;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.spi.Resource;
import org.jspecify.annotations.Nullable;

/**
 * Somebody of this process who waits.
 *
 * @param resource for what
 * @param thread the thread, or the one that asked for a future
 * @param blocked true if it is certain that the thread itself waits
 * @param acquisition its own request in the store, or null if it waits behind another of this
 *     process
 * @param since when it began to wait, or now if that is not known
 * @param config the settings of the lock
 */
record LocalWait(
    Resource resource,
    Thread thread,
    boolean blocked,
    @Nullable Acquisition acquisition,
    long since,
    LockConfig config) {}
