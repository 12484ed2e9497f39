/** What is measured: our locks and those of peers, all behind one small interface. */
@NullMarked
package io.holdfast.bench.lock;

import org.jspecify.annotations.NullMarked;
