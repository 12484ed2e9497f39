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
 * Runs tasks with the same key one after the other, in order, and tasks with different keys
 * concurrently. A task that waits for its turn occupies no thread.
 */
final class KeyedExecutor {
  private final Executor executor;
  private final Consumer<Runnable> refused;

  /** The queued tasks by key, for keys with a running task. Guarded by this. */
  private final Map<String, Deque<Runnable>> queues = new HashMap<>();

  /**
   * @param refused receives tasks whose turn has come and which the executor rejects
   */
  KeyedExecutor(Executor executor, Consumer<Runnable> refused) {
    this.executor = executor;
    this.refused = refused;
  }

  /** A task whose turn has come. */
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
   * Runs the task after the tasks with the same key that were added before.
   *
   * @throws RejectedExecutionException if the executor rejects it
   */
  void execute(String key, Runnable task) {
    synchronized (this) {
      Deque<Runnable> queue = queues.get(key);
      if (queue != null) {
        queue.addLast(task);
        return;
      }
      queues.put(key, new ArrayDeque<>(2));
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
    Deque<Runnable> queue = queues.get(key);
    Runnable task = queue == null ? null : queue.pollFirst();
    if (task == null) {
      queues.remove(key);
    }
    return task;
  }

  /** Removes and returns all queued tasks. */
  synchronized List<Runnable> drain() {
    List<Runnable> all = new ArrayList<>();
    for (Deque<Runnable> queue : queues.values()) {
      all.addAll(queue);
      queue.clear();
    }
    return all;
  }
}
