package io.holdfast.zookeeper.backend;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the leases of others: read once, and read again only when they should be over.
 * The most recent few thousand nodes are remembered.
 */
final class LeaseBook {
  private static final int MOST = 5_000;

  /** How long somebody whose turn has come may take to say so. */
  private static final long CHANCE_NANOS = 2_000_000_000L;

  /** The same behind somebody who has not taken that chance: they may have died together. */
  private static final long NEXT_CHANCE_NANOS = 1_000_000_000L;

  private static final long TOGETHER_NANOS = 30_000_000_000L;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * One node.
   *
   * @param stat as it was read last
   * @param stored as it was read last
   * @param seenAt when it was first seen so, by our own clock, with its turn come
   * @param chance how long it has from then on to say that it holds
   */
  record Entry(NodeStat stat, NodeData stored, long seenAt, long chance) {
    boolean endsWithSession() {
      return stored.leaseMillis() == 0;
    }

    /** When the lease ends, in server time. */
    long end() {
      return stat.changedAt() + stored.leaseMillis();
    }

    /** When to look closer at the earliest, in milliseconds from now; -1 for never. */
    long millisLeft(ServerClock clock, long now) {
      if (endsWithSession()) {
        return -1;
      }
      long left = end() - clock.millis(now, stat.changedAt()) + 1;
      return Math.max(0, Math.max(left, chanceLeft(now)));
    }

    /**
     * True if the lease is over at a time that a server has just written. Two leaders may have
     * different clocks: if another one wrote the node, a whole lease must have passed here.
     */
    boolean isOver(NodeStat justWritten, long now) {
      if (endsWithSession() || chanceLeft(now) > 0) {
        return false;
      }
      long lease = stored.leaseMillis();
      if (NodeStat.epoch(stat.changedBy()) == NodeStat.epoch(justWritten.changedBy())) {
        return justWritten.changedAt() > end();
      }
      return now - seenAt > (lease + lease / 10) * NANOS_PER_MILLI;
    }

    /** Somebody who waited for long and has its turn now may not have found out yet. */
    private long chanceLeft(long now) {
      if (stored.says(NodeData.State.CLAIMED, NodeData.State.HELD)) {
        return 0;
      }
      return Math.max(0, (chance - (now - seenAt)) / NANOS_PER_MILLI);
    }
  }

  private final Map<String, Entry> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Entry> eldest) {
          return size() > MOST;
        }
      };

  /** When somebody in this line was last ended who had not taken its turn. */
  private final Map<String, Long> passedOver =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MOST;
        }
      };

  synchronized @Nullable Entry find(String path) {
    return entries.get(path);
  }

  /** Notes what was read of somebody whose turn has come. */
  synchronized Entry note(String path, Content content, long now) {
    Entry known = entries.get(path);
    boolean same = known != null && known.stat().equals(content.stat());
    Entry entry =
        known != null && same
            ? new Entry(content.stat(), content.stored(), known.seenAt(), known.chance())
            : new Entry(content.stat(), content.stored(), now, chance(path, now));
    entries.put(path, entry);
    return entry;
  }

  private long chance(String path, long now) {
    Long before = passedOver.get(line(path));
    return before != null && now - before < TOGETHER_NANOS ? NEXT_CHANCE_NANOS : CHANCE_NANOS;
  }

  private static String line(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  /** The node was ended; its owner had its turn and may not have known. */
  synchronized void ended(String path, NodeData stored, long now) {
    forget(path);
    if (!stored.says(NodeData.State.CLAIMED, NodeData.State.HELD)) {
      passedOver.put(line(path), now);
    }
  }

  synchronized void forget(String path) {
    entries.remove(path);
  }
}
