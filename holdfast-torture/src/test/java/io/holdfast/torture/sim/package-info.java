@NullMarked
package io.holdfast.torture.sim;

import org.jspecify.annotations.NullMarked;
