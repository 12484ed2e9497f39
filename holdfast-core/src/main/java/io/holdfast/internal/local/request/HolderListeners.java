package io.holdfast.internal.local.request;

import io.holdfast.Finding;
import io.holdfast.LockLoss;
import io.holdfast.LossReason;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.ForcedOrder;
import io.holdfast.internal.lease.Hold;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who wants to hear of every loss, and every return, of one lock in this process. As long as there
 * is anybody the lock is kept, whether or not the application keeps its lock object.
 */
public final class HolderListeners {
  private static final Logger log = LoggerFactory.getLogger(HolderListeners.class);

  private final Releasable owner;
  private final LockEngine engine;
  private final Context context;
  private final List<Consumer<? super LockLoss>> ofLosses = new CopyOnWriteArrayList<>();
  private final List<Consumer<? super Finding>> ofReturns = new CopyOnWriteArrayList<>();

  public HolderListeners(Releasable owner, LockEngine engine) {
    this.owner = owner;
    this.engine = engine;
    this.context = engine.context();
  }

  /** Adds a listener for losses. */
  public synchronized void add(Consumer<? super LockLoss> listener) {
    ofLosses.add(listener);
    engine.keptLocks().keep(owner);
  }

  /** Removes it again. */
  public synchronized void remove(Consumer<? super LockLoss> listener) {
    ofLosses.remove(listener);
    keepWhileHeard();
  }

  /** Adds a listener for returns. */
  public synchronized void addForReturns(Consumer<? super Finding> listener) {
    ofReturns.add(listener);
    engine.keptLocks().keep(owner);
  }

  /** Removes it again. */
  public synchronized void removeForReturns(Consumer<? super Finding> listener) {
    ofReturns.remove(listener);
    keepWhileHeard();
  }

  public synchronized void clear() {
    ofLosses.clear();
    ofReturns.clear();
    keepWhileHeard();
  }

  private void keepWhileHeard() {
    if (ofLosses.isEmpty() && ofReturns.isEmpty()) {
      engine.keptLocks().keepNoLonger(owner);
    }
  }

  /** Tells the log, the listeners and everyone who counts or hears events. */
  public void announce(Hold lost, LockLoss loss) {
    ForcedOrder order = lost.tenure.forcedBy();
    boolean covered = order != null && order.covers(loss);
    if (covered || loss.reason() == LossReason.MANAGER_CLOSED) {
      log.debug("{}", loss); // one line is written for all that was forced open or held at the end
    } else {
      log.warn("{}", loss);
    }
    ofLosses.forEach(listener -> owner.callBack(listener, loss));
    context.events().lost(lost, loss);
  }

  /** The lock had vanished and is back: tells those who hold it and those who listen to it. */
  public void announceReturn(List<Hold> holds, Finding finding) {
    for (Hold hold : holds) {
      hold.returnCallbacks().forEach(each -> tell(each, finding));
    }
    ofReturns.forEach(listener -> tell(listener, finding));
  }

  private void tell(Consumer<? super Finding> listener, Finding finding) {
    context.newsLane().execute(() -> listener.accept(finding));
  }
}
