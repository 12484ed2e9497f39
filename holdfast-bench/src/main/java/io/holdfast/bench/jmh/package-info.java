/** Microbenchmarks of what needs no store. */
@NullMarked
package io.holdfast.bench.jmh;

import org.jspecify.annotations.NullMarked;
