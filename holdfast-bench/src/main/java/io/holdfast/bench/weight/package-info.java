/** Which jars a library needs. */
@NullMarked
package io.holdfast.bench.weight;

import org.jspecify.annotations.NullMarked;
