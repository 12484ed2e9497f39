/** What is done with the locks, one class per kind of scenario. */
@NullMarked
package io.holdfast.bench.scenario;

import org.jspecify.annotations.NullMarked;
