/**
 * The mechanics behind the public API. Nothing here is for applications or engines.
 *
 * <pre>
 *  DistributedLock   thin shell
 *       |
 *  LocalMutex        one per key and process: the gate, the tenure it guards, the hold;
 *       |            for the others LocalReadWriteLock and LocalSemaphore, with queues of their own
 *       |    \
 *       |     LocalGate       which thread of this process (AbstractQueuedSynchronizer)
 *       |
 *  LockEngine        which process: Acquisition (waiting), Release (retrying), RenewalManager
 *       |
 *  LockBackend       one attempt against the store
 * </pre>
 */
@NullMarked
package io.holdfast.internal;

import org.jspecify.annotations.NullMarked;
