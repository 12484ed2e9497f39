package io.holdfast.internal;

import io.holdfast.internal.base.ClosePatience;
import io.holdfast.internal.base.Threads;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the managers that are still open when the JVM ends in an orderly way: by its last thread,
 * {@code System.exit} or SIGTERM. There is one hook for all of them, registered while at least one
 * is open, so that neither closed managers nor the class loader of an undeployed application are
 * kept.
 *
 * <p>Managers are closed at the same time, on threads that the JVM does not wait for. The hook
 * itself waits for them for a bounded time, since a store may be out of reach.
 */
public final class ExitHook {
  private static final Logger log = LoggerFactory.getLogger(ExitHook.class);

  // All guarded by the class.
  private static final Set<Runnable> open = new LinkedHashSet<>();
  private static @Nullable Thread hook;

  private ExitHook() {}

  /**
   * Has something run at the exit of the JVM, unless it is removed before.
   *
   * @param close returns when everything is closed, also if another thread is closing it
   */
  public static synchronized void add(Runnable close) {
    if (hook == null) {
      Thread added = new Thread(ExitHook::run, "holdfast-shutdown");
      added.setContextClassLoader(ExitHook.class.getClassLoader()); // not that of an application
      try {
        Runtime.getRuntime().addShutdownHook(added);
      } catch (IllegalStateException e) {
        return; // the JVM is on its way out
      }
      hook = added;
    }
    open.add(close);
  }

  /** Forgets it again. */
  public static synchronized void remove(Runnable close) {
    open.remove(close);
    Thread registered = hook;
    if (open.isEmpty() && registered != null) {
      hook = null;
      try {
        Runtime.getRuntime().removeShutdownHook(registered);
      } catch (IllegalStateException e) {
        // it runs already and finds nothing to do
      }
    }
  }

  /** How many there are to close. */
  static synchronized int size() {
    return open.size();
  }

  private static synchronized List<Runnable> copyOfOpen() {
    return new ArrayList<>(open);
  }

  private static void run() {
    List<Thread> closers = new ArrayList<>();
    long startedAt = System.nanoTime();
    for (Runnable close : copyOfOpen()) {
      try {
        Thread closer = Threads.named("holdfast-shutdown").newThread(close);
        closer.start();
        closers.add(closer);
      } catch (Error e) { // no thread to be had: the locks of this one end with their leases
        log.warn("a lock manager cannot be closed at the exit of the JVM", e);
      }
    }
    try {
      for (Thread closer : closers) {
        long left = ClosePatience.EXIT.toMillis() - (System.nanoTime() - startedAt) / 1_000_000;
        closer.join(Math.max(1, left));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // somebody wants the exit to go on
    }
    if (closers.stream().anyMatch(Thread::isAlive)) {
      log.warn("not every lock manager could be closed before the exit of the JVM");
    }
  }
}
