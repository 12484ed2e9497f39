@NullMarked
package io.holdfast.torture.nemesis;

import org.jspecify.annotations.NullMarked;
