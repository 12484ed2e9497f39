/**
 * Real servers on loopback, and a network between them and a client that a test can break: what the
 * tests, the demo, the torture and the benchmarks of this project start.
 */
@NullMarked
package io.holdfast.testservers;

import org.jspecify.annotations.NullMarked;
