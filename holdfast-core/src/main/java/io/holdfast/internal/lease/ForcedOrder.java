package io.holdfast.internal.lease;

import io.holdfast.LockLoss;
import io.holdfast.LossReason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One order to open something by force, as the tenures know it that it ends. The store may signal
 * their loss before it answers the order, so such a loss waits for the answer: it needs no line of
 * its own in the log if the order is logged as carried out, and it does if the order failed.
 */
public final class ForcedOrder {
  private static final Logger log = LoggerFactory.getLogger(ForcedOrder.class);

  // Guarded by this.
  private final List<LockLoss> losses = new ArrayList<>(1);
  private @Nullable Boolean carriedOut;

  /** True if the loss is logged with this order; false if whoever asks has to log it. */
  public synchronized boolean covers(LockLoss loss) {
    if (loss.reason() != LossReason.GONE_FROM_STORE) {
      return false; // such as a deadline, which passed meanwhile
    }
    if (carriedOut == null) {
      losses.add(loss);
    }
    return !Boolean.FALSE.equals(carriedOut);
  }

  /** What it was about is gone, and logged as forced open. */
  public void carriedOut() {
    settle(true);
  }

  /** Logs what was lost meanwhile: it may be that the store did it and the answer was lost. */
  public void failed() {
    settle(false).forEach(loss -> log.warn("{}", loss));
  }

  private synchronized List<LockLoss> settle(boolean outcome) {
    carriedOut = outcome;
    return losses;
  }
}
