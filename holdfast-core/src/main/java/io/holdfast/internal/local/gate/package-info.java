/** Decides which thread of this process enters a lock. No I/O, no engine. */
@NullMarked
package io.holdfast.internal.local.gate;

import org.jspecify.annotations.NullMarked;
