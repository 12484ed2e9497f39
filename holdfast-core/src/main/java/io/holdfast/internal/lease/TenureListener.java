package io.holdfast.internal.lease;

import io.holdfast.Finding;
import io.holdfast.spi.Resource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a tenure belongs to: hears when it is lost. */
public interface TenureListener {
  /** What is claimed in the store. */
  Resource resource();

  /** Its name. */
  default String key() {
    return resource().key();
  }

  /** Called once when a tenure is lost. Must not block. */
  void tenureLost(Tenure lost);

  /** Who of this process holds inside a tenure at the moment. */
  default List<Hold> holdsIn(Tenure tenure) {
    return List.of();
  }

  /**
   * Ends a hold whose thread has ended and will not do it itself.
   *
   * @return completes when the store has answered, or failed to; null if it ends with another hold
   */
  default @Nullable CompletableFuture<@Nullable Void> abandoned(Hold hold) {
    return null;
  }

  /** Somebody else waits for what a tenure holds. Must not block. */
  default void tenureContended(Tenure contended) {}

  /** A tenure had vanished from the store and is back: its holders may want to know. */
  default void tenureResumed(Tenure resumed, Finding finding) {}

  /** Since when threads of this process wait, where that is known. */
  default Map<Thread, Long> waitingSince() {
    return Map.of();
  }

  /** About how many threads and futures of this process wait behind another of it. */
  default int localWaiters() {
    return 0;
  }

  /** Threads of this process that wait behind the one that asks the store, if any does. */
  default Collection<Thread> queuedThreads() {
    return List.of();
  }
}
