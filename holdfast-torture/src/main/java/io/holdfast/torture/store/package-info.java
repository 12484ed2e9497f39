/**
 * The stores that are tortured: real servers, what can be done to them, and what is left in them.
 */
@NullMarked
package io.holdfast.torture.store;

import org.jspecify.annotations.NullMarked;
