package io.holdfast;

/**
 * The lock was lost before it was unlocked: its lease ran out, or somebody removed it from the
 * store. Another process may have entered since then, so work done under the lock is to be checked
 * (see {@link FencingGuard}).
 */
public class LockLostException extends IllegalMonitorStateException {
  private static final long serialVersionUID = 1L;

  private final transient LockLoss loss;

  /** Describes the loss. */
  public LockLostException(LockLoss loss) {
    super(loss.toString());
    this.loss = loss;
  }

  /** What was lost, when and why. */
  public LockLoss loss() {
    return loss;
  }
}
