/**
 * The mechanics behind the public API. Nothing here is for applications or engines. This room
 * assembles the others and is the only one that sees them all; arrows go down only.
 *
 * <pre>
 *  internal         LockRegistry: one local lock per key
 *   |
 *   +- watchdog       the checks, deadlock search            reads engine and lease
 *   +- local.multi    several locks as one                         -> local.mutex
 *   +- local.mutex    LocalMutex, PreparedAcquire, IdleRetention   -> local.gate
 *   +- local.shared   read-write lock, semaphore, latch
 *   +- local.request  PendingAcquire, LeaseHandle, unreported losses
 *   +- local.gate     LocalGate: which thread of this process (AbstractQueuedSynchronizer)
 *   |
 *   +- engine         LockEngine, Acquisition, Release, RenewalManager: which process
 *   +- observe        EventBus, audit log, flight recorder, findings
 *   +- lease          Tenure, Hold, AcquireSpec
 *   +- base           callbacks, waiting, routing between stores
 * </pre>
 *
 * <p>The path to learn: AcquireSpec, Acquisition, Tenure, Hold; Context; LockBackend.
 */
@NullMarked
package io.holdfast.internal;

import org.jspecify.annotations.NullMarked;
