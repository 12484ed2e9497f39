package io.holdfast.zookeeper.backend;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What time it is at the servers, at least: the time of the last write that this client heard of,
 * and what has passed here since. Good enough to know when to look closer and to show people; what
 * is decided about leases is decided by a time that a server has written.
 */
final class ServerClock {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private record Sample(long serverMillis, long heardAt) {
    long now(long nanos) {
      return serverMillis + (nanos - heardAt) / NANOS_PER_MILLI;
    }
  }

  private final AtomicReference<@Nullable Sample> last = new AtomicReference<>();

  /** A server has written something at this time, and we have heard of it now. */
  void heard(long serverMillis, long nanos) {
    last.set(new Sample(serverMillis, nanos));
  }

  /** Server time in milliseconds; the given one if nothing is known. */
  long millis(long nanos, long otherwise) {
    Sample sample = last.get();
    return sample == null ? otherwise : sample.now(nanos);
  }

  boolean isKnown() {
    return last.get() != null;
  }
}
