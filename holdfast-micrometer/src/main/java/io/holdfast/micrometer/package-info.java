/**
 * The metrics of a lock manager as Micrometer meters: {@link
 * io.holdfast.micrometer.MicrometerMetrics}.
 */
@NullMarked
package io.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
