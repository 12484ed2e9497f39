/**
 * What every other room stands on: where callbacks run, how a thread waits, which store an owner
 * belongs to. Knows no lock.
 */
@NullMarked
package io.holdfast.internal.base;

import org.jspecify.annotations.NullMarked;
