package io.holdfast.torture.history;

import java.util.Arrays;

/**
 * Something that was broken for a while.
 *
 * @param begin the event before it was done
 * @param until when it was over; {@link Long#MAX_VALUE} if it never was
 */
public record Fault(HistoryEvent begin, long until) {
  /** When it began. */
  public long from() {
    return begin.nanos();
  }

  /** True if it has this effect. */
  public boolean has(String effect) {
    return effect.equals(begin.detail(Detail.EFFECT));
  }

  /** True if it takes this promise away. */
  public boolean breaks(String promise) {
    return Arrays.asList(begin.detail(Detail.BREAKS, "").split(",")).contains(promise);
  }

  /** True if it is done to this key, or to all. */
  public boolean concerns(String key) {
    return begin.key().isEmpty() || begin.key().equals(key);
  }

  /** True if it is done to this process. */
  public boolean hits(String client) {
    return client.equals(begin.detail(Detail.TARGET));
  }

  /** True if it and the interval have a moment in common. */
  public boolean overlaps(long start, long end) {
    return from() <= end && until >= start;
  }
}
