/**
 * What happened in a run, as text: one event per line, one file per process, merged by monotonic
 * time. The workload writes it, the checkers read nothing else.
 *
 * <p>Times are {@link System#nanoTime()}. On Linux that is {@code CLOCK_MONOTONIC}, which all
 * processes of one machine share and which nobody can set, so that the files of several processes
 * can be merged; between machines it means nothing. (A container or libfaketime may give a process
 * a clock of its own: such a process must not write a history.)
 *
 * <p>What makes a check of a history sound is when the clock is read:
 *
 * <pre>
 *   INVOKE        before the call begins
 *   OK, FAIL, UNKNOWN      after it has returned or thrown
 *   VALID         before isValid() is asked, written if it said true: it was valid at that time
 *   VALID_END     after isValid() said false: it was not valid any more at that time
 *   LOST          as the first thing in the callback
 *   FAULT_BEGIN   before anything is done;   FAULT_END   after it is undone, or over
 * </pre>
 */
@NullMarked
package io.holdfast.torture.history;

import org.jspecify.annotations.NullMarked;
