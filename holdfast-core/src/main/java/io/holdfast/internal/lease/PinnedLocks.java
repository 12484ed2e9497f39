package io.holdfast.internal.lease;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Locks that must not be forgotten although nobody holds them: the cache of locks is a weak one.
 */
public final class PinnedLocks {
  private static final int MOST_LOST = 256;

  private final Set<Object> listenedTo = ConcurrentHashMap.newKeySet();
  private final Deque<Object> lastLost = new ArrayDeque<>();

  /** Keeps a lock until {@link #keepNoLonger}: somebody listens to it. */
  public void keep(Object lock) {
    listenedTo.add(lock);
  }

  public void keepNoLonger(Object lock) {
    listenedTo.remove(lock);
  }

  /** Keeps a lock for the unlock of a thread that has lost it: the last few hundred of them. */
  public void keepForAWhile(Object lock) {
    synchronized (lastLost) {
      lastLost.addLast(lock);
      if (lastLost.size() > MOST_LOST) {
        lastLost.removeFirst();
      }
    }
  }
}
