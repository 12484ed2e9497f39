package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store refused what was asked, for a reason that trying again does not cure: no permission, a
 * key that is something else than a lock, a server that is too old.
 *
 * <pre>{@code
 * try {
 *   manager.getSemaphore("stock:42", 3).acquire();
 * } catch (StoreUnavailableException e) {
 *   retryLater();                 // may pass
 * } catch (StoreException e) {
 *   throw e;                      // 'stock:42' is a lock: for people
 * }
 * }</pre>
 */
public class StoreException extends LockException {
  private static final long serialVersionUID = 1L;

  /** Of the store as a whole. */
  public StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Of what has this key. */
  public StoreException(String kind, String key, String message, @Nullable Throwable cause) {
    super(kind, key, message, cause);
  }
}
