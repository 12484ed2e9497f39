package io.holdfast;

/**
 * What every exception of Holdfast is, so that one handler can tell them from others. A {@code
 * catch} clause cannot name an interface; ask with {@code instanceof}:
 *
 * <pre>{@code
 * try {
 *   lock.waitUpTo(ofSeconds(5)).run(() -> sell());
 * } catch (RuntimeException e) {
 *   if (e instanceof LockFailure failure) {
 *     log.warn("{} '{}': {}", failure.kind(), failure.key(), e.getMessage());
 *   } else {
 *     throw e;
 *   }
 * }
 * }</pre>
 *
 * <p>All but one are {@link LockException}s. {@link LockLostException} is not: {@link
 * java.util.concurrent.locks.Lock} wants an {@link IllegalMonitorStateException} from an {@code
 * unlock()} of a lock that is not held, and a class has one superclass. None is an {@link
 * IllegalStateException} or an {@link IllegalArgumentException}: these stay what they are in Java,
 * a mistake in the calling code.
 */
public interface LockFailure {
  /**
   * What the key names: {@code lock}, {@code read-write lock}, {@code multi-lock}, {@code
   * semaphore}, {@code latch}; empty for a failure of the store as a whole.
   */
  String kind();

  /** The key, of a multi-lock all its keys; empty for a failure of the store as a whole. */
  String key();
}
