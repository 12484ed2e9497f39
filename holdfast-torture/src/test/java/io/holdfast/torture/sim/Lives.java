package io.holdfast.torture.sim;

/**
 * What many lives came to, in numbers. A result is not kept: its history takes a quarter of a
 * megabyte, and thousands of them more memory than there is.
 */
final class Lives {
  private long count;
  private long obtained;
  private long writesHandedOn;
  private long permitsHandedOn;

  /** Adds up one more life. */
  void add(Simulation.Result result) {
    count++;
    obtained += result.obtained();
    writesHandedOn += result.writesHandedOn();
    permitsHandedOn += result.permitsHandedOn();
  }

  long count() {
    return count;
  }

  /** Leases that were obtained. */
  long obtained() {
    return obtained;
  }

  /** Write locks passed on inside a client. */
  long writesHandedOn() {
    return writesHandedOn;
  }

  /** Permits passed on inside a client. */
  long permitsHandedOn() {
    return permitsHandedOn;
  }
}
