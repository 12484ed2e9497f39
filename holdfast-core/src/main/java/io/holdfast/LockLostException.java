package io.holdfast;

/**
 * The lock was lost before it was unlocked: its lease ran out, or somebody removed it from the
 * store. Another process may have entered since then, so work done under the lock is to be checked
 * (see {@link FencingGuard}).
 *
 * <pre>{@code
 * try {
 *   lock.unlock();
 * } catch (LockLostException e) {
 *   log.error("{}", e.loss());   // lock 'stock:42' (token 17) was lost after 31004 ms: ...
 *   undo();
 * }
 * }</pre>
 *
 * <p>It is an {@link IllegalMonitorStateException}, as {@link java.util.concurrent.locks.Lock}
 * wants it of an {@code unlock()} without the lock, and so no {@link LockException}; it is a {@link
 * LockFailure} like all others.
 */
public class LockLostException extends IllegalMonitorStateException implements LockFailure {
  private static final long serialVersionUID = 1L;

  private final String kind;
  private final String key;
  private final transient LockLoss loss;

  /** Describes the loss. */
  public LockLostException(LockLoss loss) {
    super(loss.toString());
    this.kind = loss.kind();
    this.key = loss.key();
    this.loss = loss;
  }

  /** What was lost, when and why. */
  public LockLoss loss() {
    return loss;
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
