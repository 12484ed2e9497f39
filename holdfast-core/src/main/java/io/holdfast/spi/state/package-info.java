/**
 * The rules of all primitives as pure Java, for engines whose store can only keep a text per lock:
 * {@link io.holdfast.spi.state.ResourceState} is what is stored, {@link
 * io.holdfast.spi.state.ResourceStep} changes it in one step.
 */
@NullMarked
package io.holdfast.spi.state;

import org.jspecify.annotations.NullMarked;
