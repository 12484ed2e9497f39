/** Looks after everything that a manager holds and waits for. */
@NullMarked
package io.holdfast.internal.watchdog;

import org.jspecify.annotations.NullMarked;
