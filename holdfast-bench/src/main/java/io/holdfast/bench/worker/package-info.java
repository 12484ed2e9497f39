/** What runs in child processes, and how the parent talks to them. */
@NullMarked
package io.holdfast.bench.worker;

import org.jspecify.annotations.NullMarked;
