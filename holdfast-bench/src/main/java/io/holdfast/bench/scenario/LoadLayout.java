package io.holdfast.bench.scenario;

/**
 * Who makes the load.
 *
 * @param processes how many
 * @param clientsPerProcess connections in each, between which its threads are divided
 * @param threadsPerProcess how many
 * @param oneKey true if all want the same lock; else every thread has a key of its own
 */
record LoadLayout(int processes, int clientsPerProcess, int threadsPerProcess, boolean oneKey) {
  static LoadLayout ownKeys(int threads) {
    return new LoadLayout(1, 1, threads, false);
  }

  static LoadLayout oneKey(int processes, int threads) {
    return new LoadLayout(processes, 1, threads, true);
  }

  /** Every thread with a connection of its own, in one process. */
  static LoadLayout managers(int number) {
    return new LoadLayout(1, number, number, true);
  }
}
