/**
 * The public API: a {@link io.holdfast.LockManager} comes from a URL, a {@link
 * io.holdfast.DistributedLock} from the manager, and a {@link io.holdfast.Lease} or a plain {@code
 * lock()}/{@code unlock()} from the lock.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
