/**
 * Engines with mistakes that lock libraries are known for, around any real engine: what the suite
 * must find, to show that it can find something.
 */
@NullMarked
package io.holdfast.torture.broken;

import org.jspecify.annotations.NullMarked;
