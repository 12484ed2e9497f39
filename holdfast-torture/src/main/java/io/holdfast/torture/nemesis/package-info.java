/** What breaks things: which faults there are, the plan drawn from a seed, and carrying it out. */
@NullMarked
package io.holdfast.torture.nemesis;

import org.jspecify.annotations.NullMarked;
