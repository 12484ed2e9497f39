package io.holdfast.zookeeper.backend;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lower bound of the time at the servers: the time of the last write that this client has seen,
 * plus the time that has passed here since. It tells when to look closer and serves display. Leases
 * are ended by a time that a server has written.
 */
final class ServerClock {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private record Sample(long serverMillis, long heardAt) {
    long now(long nanos) {
      return serverMillis + (nanos - heardAt) / NANOS_PER_MILLI;
    }
  }

  private final AtomicReference<@Nullable Sample> last = new AtomicReference<>();

  /** A server has written at this time; the answer has arrived just now. */
  void heard(long serverMillis, long nanos) {
    last.set(new Sample(serverMillis, nanos));
  }

  /** The server's time in milliseconds; the given time if no write was seen yet. */
  long millis(long nanos, long otherwise) {
    Sample sample = last.get();
    return sample == null ? otherwise : sample.now(nanos);
  }

  boolean isKnown() {
    return last.get() != null;
  }
}
