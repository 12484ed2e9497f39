package io.holdfast.zookeeper.backend;

import org.apache.zookeeper.data.Stat;

/**
 * The metadata of a node.
 *
 * @param createdBy the transaction that created the node
 * @param changedBy the transaction that wrote the node last
 * @param createdAt the time of creation, by the clock of the leader, in milliseconds
 * @param changedAt the time of the last write, likewise
 * @param version the number of writes
 * @param session the session that the node ends with; 0 for a permanent node
 */
record NodeStat(
    long createdBy, long changedBy, long createdAt, long changedAt, int version, long session) {

  static NodeStat of(Stat stat) {
    return new NodeStat(
        stat.getCzxid(),
        stat.getMzxid(),
        stat.getCtime(),
        stat.getMtime(),
        stat.getVersion(),
        stat.getEphemeralOwner());
  }

  /** The epoch of the leader, which is the upper half of a transaction number. */
  static long epoch(long transaction) {
    return transaction >>> 32;
  }
}
