@NullMarked
package io.holdfast.torture.run;

import org.jspecify.annotations.NullMarked;
