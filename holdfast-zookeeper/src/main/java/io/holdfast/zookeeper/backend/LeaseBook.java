package io.holdfast.zookeeper.backend;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the leases of others, so that a node is read once and again only when its lease should
 * have ended. It keeps the few thousand nodes that were used last.
 */
final class LeaseBook {
  private static final int MAX_NODES = 5_000;

  /** How long an owner whose turn has come may take to claim the lock. */
  private static final long CLAIM_NANOS = 2_000_000_000L;

  /** The same behind an owner that has missed its turn: they may have died together. */
  private static final long NEXT_CLAIM_NANOS = 1_000_000_000L;

  /** For how long after a missed turn the shorter time applies. */
  private static final long TOGETHER_NANOS = 30_000_000_000L;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * One node.
   *
   * @param stat the metadata as it was read last
   * @param data the data as it was read last
   * @param seenAt when the node was first seen in this form with its turn come, by our own clock
   * @param claimNanos how long from then on the owner may take to claim the lock
   */
  record Entry(NodeStat stat, NodeData data, long seenAt, long claimNanos) {
    boolean endsWithSession() {
      return data.leaseMillis() == 0;
    }

    /** The end of the lease, in server time. */
    long end() {
      return stat.changedAt() + data.leaseMillis();
    }

    /** Milliseconds until the node is worth reading again; -1 for never. */
    long millisLeft(ServerClock clock, long now) {
      if (endsWithSession()) {
        return -1;
      }
      long left = end() - clock.millis(now, stat.changedAt()) + 1;
      return Math.max(0, Math.max(left, claimMillisLeft(now)));
    }

    /**
     * True if the lease has ended at a time that a server has just written. The clocks of two
     * leaders may differ: if another leader wrote the node, a whole lease must have passed here.
     */
    boolean isOver(NodeStat justWritten, long now) {
      if (endsWithSession() || claimMillisLeft(now) > 0) {
        return false;
      }
      long lease = data.leaseMillis();
      if (NodeStat.epoch(stat.changedBy()) == NodeStat.epoch(justWritten.changedBy())) {
        return justWritten.changedAt() > end();
      }
      return now - seenAt > (lease + lease / 10) * NANOS_PER_MILLI;
    }

    /** An owner that has waited for long may not have noticed its turn yet. */
    private long claimMillisLeft(long now) {
      if (data.declaresHold()) {
        return 0;
      }
      return Math.max(0, (claimNanos - (now - seenAt)) / NANOS_PER_MILLI);
    }
  }

  private final Map<String, Entry> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Entry> eldest) {
          return size() > MAX_NODES;
        }
      };

  /** When an owner that had missed its turn was last ended, by line. */
  private final Map<String, Long> missedTurns =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MAX_NODES;
        }
      };

  synchronized @Nullable Entry find(String path) {
    return entries.get(path);
  }

  /** Notes the node of an owner whose turn has come. */
  synchronized Entry note(String path, Content content, long now) {
    Entry known = entries.get(path);
    boolean same = known != null && known.stat().equals(content.stat());
    Entry entry =
        known != null && same
            ? new Entry(content.stat(), content.data(), known.seenAt(), known.claimNanos())
            : new Entry(content.stat(), content.data(), now, claimNanos(path, now));
    entries.put(path, entry);
    return entry;
  }

  private long claimNanos(String path, long now) {
    Long before = missedTurns.get(line(path));
    return before != null && now - before < TOGETHER_NANOS ? NEXT_CLAIM_NANOS : CLAIM_NANOS;
  }

  private static String line(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  /** The node was deleted because its lease had ended. */
  synchronized void ended(String path, NodeData data, long now) {
    forget(path);
    if (!data.declaresHold()) {
      missedTurns.put(line(path), now);
    }
  }

  synchronized void forget(String path) {
    entries.remove(path);
  }
}
