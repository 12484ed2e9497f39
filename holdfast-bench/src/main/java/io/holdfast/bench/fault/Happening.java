package io.holdfast.bench.fault;

import io.holdfast.bench.worker.Fields;

/**
 * Something that happened in a process that takes locks.
 *
 * @param kind what
 * @param nanos when, by the monotonic clock of the machine
 * @param number a token; of a release the time at which it was called
 * @param text more about it
 */
record Happening(Kind kind, long nanos, long number, String text) {
  enum Kind {
    /** Connected. */
    READY,
    /** The lock is there. */
    GOT,
    /** The callback for a loss was called. */
    TOLD,
    /** {@code isValid()} is false, by a loss, a release or the clock. */
    INVALID,
    /** The lock was given back, or that was refused. */
    RELEASED,
    /** Waiting ended with an exception. */
    FAILED
  }

  static Happening parse(String line) {
    Fields fields = Fields.parse(line);
    return new Happening(
        Kind.valueOf(fields.text("kind")),
        fields.number("nanos"),
        fields.number("number"),
        fields.text("text"));
  }
}
