/** The command and one run after the other: {@code ./holdfast torture}. */
@NullMarked
package io.holdfast.torture.run;

import org.jspecify.annotations.NullMarked;
