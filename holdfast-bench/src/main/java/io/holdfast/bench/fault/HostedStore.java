package io.holdfast.bench.fault;

import java.util.List;

/** A store inside the process that hosts it: what can be done to it from there. */
interface HostedStore {
  /** Where its servers listen; none if it is a file. The same after a restart. */
  List<Integer> ports();

  /** Starts it again with its data. */
  void start() throws Exception;

  /** Stops it. */
  void stop() throws Exception;

  /** The processes to be halted when it is to be paused. */
  List<Long> processes();

  /** Removes the entry of the holder, as an operator might. */
  void delete(String key) throws Exception;

  /** Stops the server that leads the others. */
  default void stopLeader() {
    throw new UnsupportedOperationException();
  }

  /** Starts the server again that was stopped as the leader. */
  default void startFormerLeader() {
    throw new UnsupportedOperationException();
  }

  /** Ends it. */
  void close() throws Exception;
}
