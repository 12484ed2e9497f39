/**
 * Which methods of Holdfast one operation passes through, as a debugger sees it.
 *
 * <pre>
 *   Hops ---- starts, as a debugger ----> WalkedMain: warms up, then Mark.begin("lock()"), lock(), Mark.end()
 *     ^                                       |
 *     +---- entry of each method -------------+
 * </pre>
 */
@NullMarked
package io.holdfast.bench.hops;

import org.jspecify.annotations.NullMarked;
