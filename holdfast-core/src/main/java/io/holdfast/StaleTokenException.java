package io.holdfast;

/**
 * A {@link FencingGuard} saw a token that is smaller than one it saw before. The key is the
 * resource that the guard guards.
 *
 * <pre>{@code
 * try {
 *   guard.check(lease.token());
 *   write(data);
 * } catch (StaleTokenException e) {
 *   drop(data);                   // somebody else has had the lock since
 * }
 * }</pre>
 */
public class StaleTokenException extends LockException {
  private static final long serialVersionUID = 1L;

  /** Names the resource and both tokens. */
  public StaleTokenException(String resource, long token, long highest) {
    super(
        "guarded resource",
        resource,
        "'%s' refused fencing token %d: a holder with the newer token %d has been here; the lock was"
                .formatted(resource, token, highest)
            + " lost, and this work must not be applied",
        null);
  }
}
