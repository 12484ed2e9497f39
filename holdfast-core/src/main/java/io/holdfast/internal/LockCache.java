package io.holdfast.internal;

import io.holdfast.internal.local.mutex.LocalMutex;
import io.holdfast.internal.local.shared.LocalReadWriteLock;
import io.holdfast.internal.local.shared.LocalSemaphore;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One object per key, {@link LocalMutex}, {@link LocalReadWriteLock} or {@link LocalSemaphore}.
 * Entries are weak: a lock lives as long as the application has a reference to it, a thread waits
 * in it, or the engine knows a tenure or an acquisition of it; so one that is held is never
 * forgotten, and one that nobody uses does not stay.
 */
final class LockCache<T> {
  private final Function<String, T> create;
  private final Map<String, Entry<T>> entries = new ConcurrentHashMap<>();
  private final ReferenceQueue<T> collected = new ReferenceQueue<>();

  LockCache(Function<String, T> create) {
    this.create = create;
  }

  /** The object with this key. */
  T get(String key) {
    removeCollected();
    T known = find(key);
    return known != null ? known : create(key);
  }

  /** The object with this key if there is one. */
  @Nullable T find(String key) {
    Entry<T> known = entries.get(key);
    return known == null ? null : known.get();
  }

  private T create(String key) {
    T fresh = create.apply(key);
    while (true) {
      Entry<T> known = entries.putIfAbsent(key, new Entry<>(key, fresh, collected));
      if (known == null) {
        return fresh;
      }
      T lock = known.get();
      if (lock != null) {
        return lock;
      }
      entries.remove(key, known);
    }
  }

  /** How many keys are known. */
  int size() {
    removeCollected();
    return entries.size();
  }

  private void removeCollected() {
    for (Reference<? extends T> gone = collected.poll(); gone != null; gone = collected.poll()) {
      Entry<?> entry = (Entry<?>) gone;
      entries.remove(entry.key, entry);
    }
  }

  private static final class Entry<T> extends WeakReference<@Nullable T> {
    final String key;

    Entry(String key, T lock, ReferenceQueue<T> queue) {
      super(lock, queue);
      this.key = key;
    }
  }
}
