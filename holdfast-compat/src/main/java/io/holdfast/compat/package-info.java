/**
 * The compatibility matrix: consumer projects that Maven resolves outside this build, each with the
 * class path that an application would get, and programs that lock in them.
 */
@NullMarked
package io.holdfast.compat;

import org.jspecify.annotations.NullMarked;
