/**
 * What a process and a caller have: a {@link io.holdfast.internal.lease.Tenure} from the store, a
 * {@link io.holdfast.internal.lease.Hold} inside it, and the {@link
 * io.holdfast.internal.lease.AcquireSpec} that asked for it.
 */
@NullMarked
package io.holdfast.internal.lease;

import org.jspecify.annotations.NullMarked;
