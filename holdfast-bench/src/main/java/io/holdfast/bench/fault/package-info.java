/** What each engine does under faults, seen from a holder and from those who wait. */
@NullMarked
package io.holdfast.bench.fault;

import org.jspecify.annotations.NullMarked;
