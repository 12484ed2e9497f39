/**
 * The public API: a {@link io.holdfast.LockManager} comes from a URL, a {@link
 * io.holdfast.DistributedLock} from the manager, and a {@link io.holdfast.Lease} or a plain {@code
 * lock()}/{@code unlock()} from the lock. {@link io.holdfast.LockRequest} says both in one
 * sentence:
 *
 * <pre>{@code
 * try (LockManager manager = LockManager.create("redis://localhost:6379")) {
 *   manager.getLock("stock:42").waitUpTo(ofSeconds(5)).run(() -> sell());
 * }
 * }</pre>
 *
 * <p>Every exception is a {@link io.holdfast.LockFailure}.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
