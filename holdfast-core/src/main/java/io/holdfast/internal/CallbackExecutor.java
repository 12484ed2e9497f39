package io.holdfast.internal;

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
  private final Executor own = Threads.callbacks();

  CallbackExecutor(Executor given) {
    this.given = given;
  }

  @Override
  public void execute(Runnable task) {
    try {
      given.execute(() -> run(task));
    } catch (RuntimeException | Error e) {
      log.warn("the executor for callbacks refused one; it runs on another thread", e);
      executeOnOwnThread(task);
    }
  }

  private void executeOnOwnThread(Runnable task) {
    try {
      own.execute(() -> run(task));
    } catch (RuntimeException | Error e) { // no thread to be had at all: better here than never
      run(task);
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      log.warn("a callback of a lock failed", e);
    }
  }
}
