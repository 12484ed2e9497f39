/**
 * What runs inside the class path of a case. It may use only what that class path has: {@link
 * io.holdfast.compat.program.Consumer} needs holdfast-core alone.
 */
@NullMarked
package io.holdfast.compat.program;

import org.jspecify.annotations.NullMarked;
