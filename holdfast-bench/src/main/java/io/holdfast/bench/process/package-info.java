/** Child processes and what the operating system tells about processes. */
@NullMarked
package io.holdfast.bench.process;

import org.jspecify.annotations.NullMarked;
