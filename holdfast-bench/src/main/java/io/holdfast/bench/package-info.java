/**
 * Holdfast and its peers, measured side by side.
 *
 * <pre>
 *   Bench ---- Rounds: scenario x subject x round, interleaved (A B C A B C ...)
 *                |
 *             Scenario.run(subject) ---- WorkerJvm (child process, class path of that library only)
 *                |                            |
 *             StoreServer + meters        LockClient (ours or a peer's)
 *                |                            |
 *             real server  <------------------+      (directly, or through a network with a delay)
 *
 *   Sample per round --> Series (median, spread) --> report.md, charts, results.csv
 * </pre>
 */
@NullMarked
package io.holdfast.bench;

import org.jspecify.annotations.NullMarked;
