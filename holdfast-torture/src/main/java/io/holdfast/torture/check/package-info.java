/**
 * Rules that a history must keep, each a small class with a name for the report. They look at a
 * history once or a few times, so that long runs can be checked; {@link
 * io.holdfast.torture.check.linear} looks closer.
 */
@NullMarked
package io.holdfast.torture.check;

import org.jspecify.annotations.NullMarked;
