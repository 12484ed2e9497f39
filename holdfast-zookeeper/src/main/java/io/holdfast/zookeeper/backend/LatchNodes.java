package io.holdfast.zookeeper.backend;

/**
 * The two nodes of a latch whose count is above zero: the gate, which those who wait watch and
 * which is never written, so that counting down wakes nobody, and the count.
 */
final class LatchNodes {
  static final String GATE = "gate";
  static final String COUNT = "count";

  private LatchNodes() {}
}
