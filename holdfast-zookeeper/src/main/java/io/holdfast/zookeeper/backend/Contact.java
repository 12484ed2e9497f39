package io.holdfast.zookeeper.backend;

import org.jspecify.annotations.Nullable;

/**
 * When a session was last known to be alive by its leader: a clock reading from before a request
 * was sent that the leader has had a part in answering, as a write or a sync, and not a mere read.
 * For how long the servers keep the session after that: {@link Session#leaseMillis}. It counts for
 * one connection: after the next one, news that were missed come in any order, and only a request
 * that was sent after that is answered after all of them.
 */
final class Contact {
  private volatile @Nullable Long sentAt;

  /** A request that was sent at this time was answered by way of the leader. */
  synchronized void confirmed(long requestSentAt) {
    Long known = sentAt;
    if (known == null || requestSentAt - known > 0) {
      sentAt = requestSentAt;
    }
  }

  /** The connection is new, or gone. */
  synchronized void none() {
    sentAt = null;
  }

  /** The clock reading; null if there was no such request on this connection. */
  @Nullable Long sentAt() {
    return sentAt;
  }
}
