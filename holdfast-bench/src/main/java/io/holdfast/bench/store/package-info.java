/** The real servers that locks are kept in, with meters on them. */
@NullMarked
package io.holdfast.bench.store;

import org.jspecify.annotations.NullMarked;
