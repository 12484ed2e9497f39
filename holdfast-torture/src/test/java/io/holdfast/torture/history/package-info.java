@NullMarked
package io.holdfast.torture.history;

import org.jspecify.annotations.NullMarked;
