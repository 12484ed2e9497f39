package io.holdfast.internal;

import io.holdfast.LockLoss;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who wants to hear of every loss of one lock in this process. As long as there is anybody the lock
 * is kept, whether or not the application keeps its lock object.
 */
final class LossListeners {
  private static final Logger log = LoggerFactory.getLogger(LossListeners.class);

  private final HoldOwner owner;
  private final LockEngine engine;
  private final List<Consumer<? super LockLoss>> listeners = new CopyOnWriteArrayList<>();

  LossListeners(HoldOwner owner, LockEngine engine) {
    this.owner = owner;
    this.engine = engine;
  }

  synchronized void add(Consumer<? super LockLoss> listener) {
    listeners.add(listener);
    engine.keep(owner);
  }

  synchronized void remove(Consumer<? super LockLoss> listener) {
    listeners.remove(listener);
    if (listeners.isEmpty()) {
      engine.keepNoLonger(owner);
    }
  }

  synchronized void clear() {
    listeners.clear();
    engine.keepNoLonger(owner);
  }

  /** Tells the log, the listeners and everyone who counts or hears events. */
  void announce(Hold lost, LockLoss loss) {
    log.warn("{}", loss);
    listeners.forEach(listener -> owner.callBack(listener, loss));
    engine.events().lost(lost, loss);
  }
}
