package io.holdfast.jdbc.backend;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tasks with the same key run one after the other, in order; those with different keys side by
 * side. A task that waits for its turn occupies no thread.
 */
final class KeyedExecutor {
  private final Executor executor;
  private final Consumer<Runnable> refused;

  /** Keys with a task under way, and the tasks behind it. Guarded by this. */
  private final Map<String, Deque<Runnable>> lanes = new HashMap<>();

  /**
   * @param refused told of tasks whose turn has come and which the executor does not take
   */
  KeyedExecutor(Executor executor, Consumer<Runnable> refused) {
    this.executor = executor;
    this.refused = refused;
  }

  /** A task whose turn it is. */
  final class Turn implements Runnable {
    private final String key;
    private final Runnable task;

    Turn(String key, Runnable task) {
      this.key = key;
      this.task = task;
    }

    Runnable task() {
      return task;
    }

    @Override
    public void run() {
      try {
        task.run();
      } finally {
        next(key);
      }
    }
  }

  /**
   * Runs the task when those before it have run.
   *
   * @throws RejectedExecutionException if the executor does not take it
   */
  void execute(String key, Runnable task) {
    synchronized (this) {
      Deque<Runnable> behind = lanes.get(key);
      if (behind != null) {
        behind.addLast(task);
        return;
      }
      lanes.put(key, new ArrayDeque<>(2));
    }
    try {
      executor.execute(new Turn(key, task));
    } catch (RejectedExecutionException e) {
      next(key);
      throw e;
    }
  }

  private void next(String key) {
    for (Runnable task = poll(key); task != null; task = poll(key)) {
      try {
        executor.execute(new Turn(key, task));
        return;
      } catch (RejectedExecutionException e) {
        refused.accept(task);
      }
    }
  }

  private synchronized @Nullable Runnable poll(String key) {
    Deque<Runnable> behind = lanes.get(key);
    Runnable task = behind == null ? null : behind.pollFirst();
    if (task == null) {
      lanes.remove(key);
    }
    return task;
  }

  /** Takes out everything that waits for its turn. */
  synchronized List<Runnable> drain() {
    List<Runnable> all = new ArrayList<>();
    for (Deque<Runnable> behind : lanes.values()) {
      all.addAll(behind);
      behind.clear();
    }
    return all;
  }
}
