package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Base of the faults that a lock, a semaphore or a latch can report; {@link LockLostException} is
 * the one exception that is not one, see {@link LockFailure}. That a lock is busy is a result and
 * no fault, except where a call has no other way to say so ({@link LockTimeoutException}).
 *
 * <pre>{@code
 * try (Lease lease = lock.acquire()) {
 *   sell(lease.token());
 * } catch (LockException e) {
 *   log.warn("{} '{}': {}", e.kind(), e.key(), e.getMessage());
 * }
 * }</pre>
 */
public class LockException extends RuntimeException implements LockFailure {
  private static final long serialVersionUID = 1L;

  private final String kind;
  private final String key;

  /** Of the store as a whole. */
  public LockException(String message, @Nullable Throwable cause) {
    this("", "", message, cause);
  }

  /** Of what has this key. */
  public LockException(String kind, String key, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.key = key;
  }

  @Override
  public String kind() {
    return kind;
  }

  @Override
  public String key() {
    return key;
  }
}
