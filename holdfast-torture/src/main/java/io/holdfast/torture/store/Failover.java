package io.holdfast.torture.store;

/**
 * The hook for stores of which one server leads. The nemesis takes the leader away, and brings the
 * server back some time later. A Redis with replicas and sentinels has its place here.
 */
public interface Failover {
  /** Kills the server that leads now. */
  void loseLeader();

  /** Starts the server that was killed. */
  void restore();

  /** True if a failover may lose what the old leader has acknowledged. */
  boolean mayLoseWrites();
}
