/**
 * The processes that lock: random operations from a seed, everything they do and see goes to the
 * history.
 */
@NullMarked
package io.holdfast.torture.client;

import org.jspecify.annotations.NullMarked;
