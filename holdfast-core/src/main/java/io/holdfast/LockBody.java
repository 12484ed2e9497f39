package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Work done under a lock by {@link LockManager#execute}.
 *
 * @param <T> its result
 * @param <X> the checked exception it may throw
 */
@FunctionalInterface
public interface LockBody<T extends @Nullable Object, X extends Exception> {
  /** Does the work. */
  T run() throws X;
}
