/**
 * A world in one thread: several lock managers, a store and a network between them, on a clock that
 * jumps from event to event. Everything that happens is drawn from a seed and happens again for the
 * same seed.
 */
@NullMarked
package io.holdfast.torture.sim;

import org.jspecify.annotations.NullMarked;
