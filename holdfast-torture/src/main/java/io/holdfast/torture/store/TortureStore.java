package io.holdfast.torture.store;

import io.holdfast.torture.nemesis.FaultKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A store under torture: real servers, and what can be done to them. */
public interface TortureStore extends AutoCloseable {
  /** Name and version of the server, and whatever matters about how it was started. */
  String version();

  /** The ports of the servers; empty if there is no network between. */
  List<Integer> ports();

  /** Where a client connects whose way to the servers begins at these ports. */
  String url(List<Integer> ports);

  /** Where the registers are, by a way that no proxy disturbs. */
  String registerUrl();

  /** What can be done to it. */
  Set<FaultKind> faults();

  /** The servers, which can be killed, paused and started. */
  List<? extends TortureServer> servers();

  /** For stores with several servers, one of which leads. */
  default Optional<Failover> failover() {
    return Optional.empty();
  }

  /** Deletes all locks by hand. */
  void wipe();

  /** Deletes one lock by hand. */
  void forget(String key);

  /** Keeps the store, or the row of the key, busy for so long. */
  void slow(String key, Duration time);

  /** What time it is by the clock that leases are counted by, in milliseconds of the epoch. */
  long wallClockMillis();

  /** How many connections clients have. */
  int connections();

  /** What is left of locks: keys, nodes, rows that say that somebody holds or waits. */
  List<String> leftovers();

  @Override
  void close();
}
