/** The primitives with several holders: read-write lock, semaphore, latch. */
@NullMarked
package io.holdfast.internal.local.shared;

import org.jspecify.annotations.NullMarked;
