/**
 * Is there an order in which the operations, one after the other, give what they gave? A check of
 * linearizability after Wing and Gong, with the just-in-time order of Lowe, against small
 * sequential models of the primitives.
 */
@NullMarked
package io.holdfast.torture.check.linear;

import org.jspecify.annotations.NullMarked;
