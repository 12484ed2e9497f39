@NullMarked
package io.holdfast.torture.check.linear;

import org.jspecify.annotations.NullMarked;
