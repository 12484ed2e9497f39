@NullMarked
package io.holdfast.jdbc.backend;

import org.jspecify.annotations.NullMarked;
