package io.holdfast.zookeeper.backend;

import org.jspecify.annotations.Nullable;

/**
 * When a session is known to have been alive: readings of the clock from before requests were sent
 * that the leader took part in answering, such as a write or a sync, but not a mere read. {@link
 * SessionHeartbeat} sends such a request at least every eighth of the time-out.
 *
 * <p>Such a request shows that the leader had not ended the session. But it does not make the
 * leader start the time-out anew: the client's server passes signs of life on, every half tick. A
 * client that asks after a long silence may be answered, and lose its session a moment later:
 *
 * <pre>
 *   client   s1          (silence)            s2 answered
 *   server    \_ passed on                      \______ passed on: too late
 *   leader      |---------- time-out ----------------|
 * </pre>
 *
 * <p>So a lease counts from the last sign that was surely passed on: {@link Session#leaseMillis}.
 * After a new connection, missed events arrive in any order, and only a request sent after it is
 * answered after all of them; so a request counts for one connection only. But connecting is itself
 * a sign of life, which reaches the leader at once.
 */
final class Contact {
  private static final int SIGNS = 16;

  /** Times of requests on this connection, spaced out; the oldest are overwritten. */
  private final long[] signs = new long[SIGNS];

  /** When these requests were answered, and so had reached the server. */
  private final long[] answers = new long[SIGNS];

  private int noted;
  private long spacing;
  private volatile @Nullable Long sentAt;

  /** A time before the present connection was made; while there is none, before the last one. */
  private long beforeConnecting;

  /** A time before the next connection is made. */
  private long beforeNext;

  /** When the session was last seen without a connection. */
  private @Nullable Long lastSeenDisconnected;

  /**
   * The contact of a session that is about to begin.
   *
   * @param now a clock reading from before the session was requested
   */
  Contact(long now) {
    this.beforeConnecting = now;
    this.beforeNext = now;
  }

  /** A request that was sent at this time was answered just now, and the leader took part. */
  synchronized void confirmed(long requestSentAt, long now) {
    Long known = sentAt;
    if (known != null && requestSentAt - known <= 0) {
      return;
    }
    sentAt = requestSentAt;
    if (isSignDue(requestSentAt)) {
      signs[noted % SIGNS] = requestSentAt;
      answers[noted % SIGNS] = now;
      noted++;
    }
  }

  /**
   * There is a new connection.
   *
   * @param timeout the time-out of the session, in nanoseconds
   */
  synchronized void connected(long timeout) {
    disconnected();
    beforeConnecting = beforeNext;
    spacing = timeout / SIGNS;
  }

  /** The connection is gone. Signs that its server had not passed on yet may be lost. */
  synchronized void disconnected() {
    Long known = sentAt;
    if (known != null) {
      connectsAfter(known);
    }
    sentAt = null;
    noted = 0;
    lastSeenDisconnected = null;
  }

  /** True if the last sign of life is so old that another one is worth sending. */
  synchronized boolean isSignDue(long now) {
    return noted == 0 || now - signs[(noted - 1) % SIGNS] >= spacing;
  }

  /**
   * There is no connection at this time. The reading before this one counts: this process may have
   * been paused before it calls here, and have been connected in between without having seen it.
   */
  synchronized void disconnectedAt(long now) {
    Long earlier = lastSeenDisconnected;
    if (earlier != null) {
      connectsAfter(earlier);
    }
    lastSeenDisconnected = now;
  }

  private void connectsAfter(long earlier) {
    if (earlier - beforeNext > 0) {
      beforeNext = earlier;
    }
  }

  /** The time of the last request on this connection; null if there was none. */
  @Nullable Long sentAt() {
    return sentAt;
  }

  /**
   * The last sign of life that the leader surely knew when it took part in answering a request.
   *
   * @param asked when that request was sent
   * @param within how long a server may take to pass on a sign that has reached it
   */
  synchronized long passedOn(long asked, long within) {
    long last = beforeConnecting;
    for (int i = Math.max(0, noted - SIGNS); i < noted; i++) {
      long sign = signs[i % SIGNS];
      boolean passedOn = asked - within - answers[i % SIGNS] >= 0;
      if (passedOn && sign - last > 0) {
        last = sign;
      }
    }
    return last;
  }
}
