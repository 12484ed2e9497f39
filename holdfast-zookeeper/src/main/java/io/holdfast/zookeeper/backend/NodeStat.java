package io.holdfast.zookeeper.backend;

import org.apache.zookeeper.data.Stat;

/**
 * What ZooKeeper knows about a node.
 *
 * @param createdBy the transaction that created it
 * @param changedBy the transaction that wrote it last
 * @param createdAt when, by the clock of the leader, in milliseconds
 * @param changedAt the same for the last write
 * @param version how often it was written
 * @param session the session it ends with; 0 if it stays
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

  /** The reign of a leader, which is the upper half of a transaction's number. */
  static long epoch(long transaction) {
    return transaction >>> 32;
  }
}
