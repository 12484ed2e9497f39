package io.holdfast.zookeeper.backend;

import org.jspecify.annotations.Nullable;

/**
 * When a session is known to have been alive: clock readings from before requests were sent that
 * the leader has had a part in answering, as a write or a sync, and not a mere read. There is one
 * at least every eighth of the time-out: {@link SessionHeartbeat}.
 *
 * <p>Such a request shows that the leader had not ended the session. But it does not make the
 * leader start the time-out anew: the client's server passes signs of life on, every half tick.
 * Whoever asks after a long silence may be answered, and lose its session a moment later:
 *
 * <pre>
 *   client   s1          (silence)            s2 answered
 *   server    \_ passed on                      \______ passed on: too late
 *   leader      |---------- time-out ----------------|
 * </pre>
 *
 * <p>So a lease counts from the last sign that was surely passed on: {@link Session#leaseMillis}.
 * After a new connection news that were missed come in any order, and only a request that was sent
 * after that is answered after all of them; so requests count for one connection. But to connect is
 * a sign itself, which goes to the leader at once.
 */
final class Contact {
  private static final int SIGNS = 16;

  /** Of this connection, each a little later than the one before; the oldest are overwritten. */
  private final long[] signs = new long[SIGNS];

  /** When they were answered, and so had come to the server. */
  private final long[] answers = new long[SIGNS];

  private int noted;
  private long apart;
  private volatile @Nullable Long sentAt;

  /** Before the present connection was made; while there is none, before the last. */
  private long beforeConnecting;

  /** Before the next connection is made. */
  private long beforeNext;

  private @Nullable Long lastSeenApart;

  /**
   * Of a session that is about to begin.
   *
   * @param now a clock reading from before it was asked for
   */
  Contact(long now) {
    this.beforeConnecting = now;
    this.beforeNext = now;
  }

  /** A request that was sent at this time was answered by way of the leader, just now. */
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
   * @param timeout of the session, in nanoseconds
   */
  synchronized void connected(long timeout) {
    disconnected();
    beforeConnecting = beforeNext;
    apart = timeout / SIGNS;
  }

  /** The connection is gone. What its server had not passed on yet may be lost. */
  synchronized void disconnected() {
    Long known = sentAt;
    if (known != null) {
      connectsAfter(known);
    }
    sentAt = null;
    noted = 0;
    lastSeenApart = null;
  }

  /** True if there was none that counts for a while. */
  synchronized boolean isSignDue(long now) {
    return noted == 0 || now - signs[(noted - 1) % SIGNS] >= apart;
  }

  /**
   * There is no connection. It is the reading before the last that counts: this process may have
   * been paused between the last one and now, and be connected without having seen it.
   */
  synchronized void apartAt(long now) {
    Long earlier = lastSeenApart;
    if (earlier != null) {
      connectsAfter(earlier);
    }
    lastSeenApart = now;
  }

  private void connectsAfter(long earlier) {
    if (earlier - beforeNext > 0) {
      beforeNext = earlier;
    }
  }

  /** The last request on this connection; null if there was none. */
  @Nullable Long sentAt() {
    return sentAt;
  }

  /**
   * The last sign of life that the leader knew of when it had a part in answering a request.
   *
   * @param asked when that request was sent
   * @param within how long it takes at most until a sign that has come to a server is passed on
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
