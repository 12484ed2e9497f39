/** Rounds, medians, stolen time, progress. */
@NullMarked
package io.holdfast.bench.measure;

import org.jspecify.annotations.NullMarked;
