/** Markdown, charts, targets. */
@NullMarked
package io.holdfast.bench.report;

import org.jspecify.annotations.NullMarked;
