@NullMarked
package io.holdfast.torture.broken;

import org.jspecify.annotations.NullMarked;
