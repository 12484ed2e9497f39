package io.holdfast.internal.base;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is to be done outside a monitor: collected while it is held, done in order after it.
 * Whatever calls out, to the store or to somebody who waits, belongs here.
 */
public final class DeferredActions {
  private static final Logger log = LoggerFactory.getLogger(DeferredActions.class);

  private final List<Runnable> tasks = new ArrayList<>(4);

  public void add(Runnable task) {
    tasks.add(task);
  }

  /** Before all others. */
  public void addFirst(Runnable task) {
    tasks.add(0, task);
  }

  /** One that fails does not keep the others from being done. */
  public void run() {
    for (Runnable task : tasks) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        log.error("a step of a lock failed", e);
      }
    }
  }
}
