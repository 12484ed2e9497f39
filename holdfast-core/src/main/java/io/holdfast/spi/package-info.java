/**
 * What an engine implements: single attempts against a store, all asynchronous, with results as
 * sealed types. Waiting, renewal, reentrancy and recovery are done once for all engines in core and
 * must not be repeated behind this interface.
 */
@NullMarked
package io.holdfast.spi;

import org.jspecify.annotations.NullMarked;
