@NullMarked
package io.holdfast.torture.check;

import org.jspecify.annotations.NullMarked;
