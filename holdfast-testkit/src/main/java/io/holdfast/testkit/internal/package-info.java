/** Processes and folders that end with the tests that made them. For this project alone. */
@NullMarked
package io.holdfast.testkit.internal;

import org.jspecify.annotations.NullMarked;
