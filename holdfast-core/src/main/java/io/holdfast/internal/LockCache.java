package io.holdfast.internal;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One {@link GatedLock} per key. Entries are weak: a lock lives as long as the application has a
 * reference to it, a thread waits in it, or the engine knows a tenure or an acquisition of it; so
 * one that is held is never forgotten, and one that nobody uses does not stay.
 */
public final class LockCache {
  private final LockEngine engine;
  private final Map<String, Entry> entries = new ConcurrentHashMap<>();
  private final ReferenceQueue<GatedLock> collected = new ReferenceQueue<>();

  /** An empty cache. */
  public LockCache(LockEngine engine) {
    this.engine = engine;
  }

  /** The lock with this key. */
  public LockHandle get(String key) {
    removeCollected();
    Entry known = entries.get(key);
    GatedLock lock = known == null ? null : known.get();
    return new MutexHandle(lock != null ? lock : create(key));
  }

  private GatedLock create(String key) {
    GatedLock fresh = new GatedLock(key, engine);
    while (true) {
      Entry known = entries.putIfAbsent(key, new Entry(fresh, collected));
      if (known == null) {
        return fresh;
      }
      GatedLock lock = known.get();
      if (lock != null) {
        return lock;
      }
      entries.remove(key, known);
    }
  }

  /**
   * Forgets a lock.
   *
   * @throws IllegalStateException when it is held or waited for in this process
   */
  public void remove(String key) {
    Entry known = entries.get(key);
    GatedLock lock = known == null ? null : known.get();
    if (lock != null && !lock.isIdle()) {
      throw new IllegalStateException(
          "lock '%s' is held or waited for in this process; unlock it before it is destroyed"
              .formatted(key));
    }
    if (lock != null) {
      lock.forgetListeners(); // the entry goes with the last reference: never two gates for one key
    }
  }

  /** How many keys are known. */
  public int size() {
    removeCollected();
    return entries.size();
  }

  private void removeCollected() {
    for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
      Entry entry = (Entry) gone;
      entries.remove(entry.key, entry);
    }
  }

  private static final class Entry extends WeakReference<@Nullable GatedLock> {
    final String key;

    Entry(GatedLock lock, ReferenceQueue<GatedLock> queue) {
      super(lock, queue);
      this.key = lock.key();
    }
  }
}
