/**
 * Counts what happens to locks, in memory and without a library: {@link
 * io.holdfast.metrics.InMemoryMetrics} collects, {@link io.holdfast.metrics.MetricsSnapshot} shows,
 * and {@link io.holdfast.metrics.LockFamilies} keeps the number of tags bounded.
 */
@NullMarked
package io.holdfast.metrics;

import org.jspecify.annotations.NullMarked;
