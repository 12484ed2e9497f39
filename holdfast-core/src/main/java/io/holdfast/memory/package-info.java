/**
 * The in-memory engine: the reference implementation of the SPI, for tests and single processes.
 */
@NullMarked
package io.holdfast.memory;

import org.jspecify.annotations.NullMarked;
