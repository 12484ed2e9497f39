package io.holdfast.internal.base;

import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where code of the application is called. Nothing that goes wrong there comes back: a task that
 * throws is logged, and one that the application's executor does not take runs on a thread of our
 * own.
 */
final class CallbackExecutor implements Executor {
  private static final Logger log = LoggerFactory.getLogger(CallbackExecutor.class);

  private final Executor given;
  private final CallbackThreads own;

  CallbackExecutor(Executor given, CallbackThreads own) {
    this.given = given;
    this.own = own;
  }

  @Override
  public void execute(Runnable task) {
    if (given == own) {
      own.execute(() -> run(task));
      return;
    }
    try {
      given.execute(() -> run(task));
    } catch (RuntimeException | Error e) {
      log.warn("the executor for callbacks refused one; it runs on another thread", e);
      own.execute(() -> run(task));
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) { // also a checked exception that is thrown in disguise
      log.warn("a callback of a lock failed", e);
    }
  }
}
