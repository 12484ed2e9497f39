/** Faults, histories and checkers that prove the promises of the locks. */
@NullMarked
package io.holdfast.torture;

import org.jspecify.annotations.NullMarked;
