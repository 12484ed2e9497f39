/**
 * Decides which process has a lock, together with the store: waiting, renewal, release and loss,
 * all driven by callbacks. Calls upward only through {@link
 * io.holdfast.internal.lease.TenureListener} and {@link io.holdfast.internal.engine.Supervisor}.
 */
@NullMarked
package io.holdfast.internal.engine;

import org.jspecify.annotations.NullMarked;
