package io.holdfast;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The check at the resource that makes a lock safe whatever happens: it lets a token in only if no
 * larger one has been in before. A holder that was paused past its lease, and does not know it yet,
 * is stopped here.
 *
 * <pre>{@code
 * FencingGuard guard = new FencingGuard("stock:42");
 * try (Lease lease = lock.acquire()) {
 *   guard.check(lease.token());       // throws StaleTokenException for a former holder
 *   write(...);
 * }
 * }</pre>
 *
 * <p>This one lives in the memory of one process and guards a resource of that process. A resource
 * in a database keeps the highest token beside the data and checks it in the same statement:
 *
 * <pre>{@code
 * UPDATE stock SET amount = amount - 1, fence = :token WHERE id = 42 AND fence <= :token
 * }</pre>
 *
 * <p>and treats "0 rows updated" as a stale token.
 */
public final class FencingGuard {
  private final String resource;
  private final AtomicLong highest = new AtomicLong();

  /** A guard that has seen no token. */
  public FencingGuard(String resource) {
    this.resource = resource;
  }

  /**
   * Lets the token in, or throws.
   *
   * @throws StaleTokenException when a larger token was seen before
   */
  public void check(long token) {
    long seen = highest.accumulateAndGet(token, Math::max);
    if (seen > token) {
      throw new StaleTokenException(resource, token, seen);
    }
  }

  /** The largest token seen so far, 0 if none. */
  public long highest() {
    return highest.get();
  }
}
