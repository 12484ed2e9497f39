package io.holdfast.bench.process;

/** A child process failed, stalled or vanished: the round does not count, the run goes on. */
public final class WorkerFailedException extends RuntimeException {
  /** With what happened. */
  public WorkerFailedException(String message) {
    super(message);
  }

  /** With what happened and why. */
  public WorkerFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
