/** The exclusive lock of this process: a gate over a tenure. */
@NullMarked
package io.holdfast.internal.local.mutex;

import org.jspecify.annotations.NullMarked;
