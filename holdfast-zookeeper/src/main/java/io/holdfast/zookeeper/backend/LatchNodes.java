package io.holdfast.zookeeper.backend;

/**
 * The nodes of a latch whose count is above zero: the gate, which waiters watch and which is never
 * written, so that counting down wakes no waiter, and the count. Beside them stand the {@link
 * LatchWaiters}, which say nothing about the kind of the key.
 */
final class LatchNodes {
  static final String GATE = "gate";
  static final String COUNT = "count";
  static final String WAITERS = "waiters";

  private LatchNodes() {}
}
