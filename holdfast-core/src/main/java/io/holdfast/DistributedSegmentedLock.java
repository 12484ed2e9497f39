package io.holdfast;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32;

/**
 * One hot resource in several segments, each with a lock of its own: by the hash of a sub-key, or
 * whichever is free.
 *
 * <pre>{@code
 * DistributedSegmentedLock stock = manager.getSegmentedLock("stock:42", 16);
 * try (Lease lease = stock.forKey(orderId).acquire()) { ... }      // always the same segment for one order
 * try (Lease lease = stock.acquireAny()) { sellFrom(lease.key()); } // any part of the stock
 * }</pre>
 */
public final class DistributedSegmentedLock {
  private final String key;
  private final List<DistributedLock> segments;

  DistributedSegmentedLock(String key, List<DistributedLock> segments) {
    this.key = key;
    this.segments = List.copyOf(segments);
  }

  /** The key of the whole; segment i has the key {@code key:i}. */
  public String key() {
    return key;
  }

  /** How many segments there are. */
  public int size() {
    return segments.size();
  }

  /** A segment by its number, from 0. */
  public DistributedLock segment(int number) {
    return segments.get(number);
  }

  /** The segment of a sub-key: the same in every process, as long as all use the same number. */
  public DistributedLock forKey(String subKey) {
    requireNonNull(subKey, "subKey must not be null");
    CRC32 hash = new CRC32();
    hash.update(subKey.getBytes(StandardCharsets.UTF_8));
    return segments.get((int) (hash.getValue() % segments.size()));
  }

  /** Takes whichever segment is free now; starts looking at a random one. */
  public Optional<Lease> tryAcquireAny() {
    int start = ThreadLocalRandom.current().nextInt(segments.size());
    for (int i = 0; i < segments.size(); i++) {
      Optional<Lease> lease = segments.get((start + i) % segments.size()).tryAcquire();
      if (lease.isPresent()) {
        return lease;
      }
    }
    return Optional.empty();
  }

  /** Takes whichever segment is free; if none is, waits for a random one. */
  public Lease acquireAny() {
    return tryAcquireAny().orElseGet(() -> random().acquire());
  }

  /** Takes whichever segment is free; if none is, waits for a random one up to the time given. */
  public Optional<Lease> tryAcquireAny(Duration wait) throws InterruptedException {
    requireNonNull(wait, "wait must not be null");
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Optional<Lease> free = tryAcquireAny();
    return free.isPresent() ? free : random().tryAcquire(wait);
  }

  private DistributedLock random() {
    return segments.get(ThreadLocalRandom.current().nextInt(segments.size()));
  }

  @Override
  public String toString() {
    return "DistributedSegmentedLock[" + key + ", " + segments.size() + " segments]";
  }
}
