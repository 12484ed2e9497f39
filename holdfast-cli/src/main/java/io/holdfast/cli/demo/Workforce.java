package io.holdfast.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * All worker processes of a demo, each with a thread of ours that talks to it. The first one to
 * fail ends the demo; nobody waits for the others then.
 */
final class Workforce implements AutoCloseable {
  private static final long LOOK_MILLIS = 100;

  private final List<WorkerProcess> workers = new ArrayList<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "demo-worker-talk");
            thread.setDaemon(true);
            return thread;
          });

  /** Starts one more, which is not ready yet. */
  synchronized void hire(String url, DemoSettings settings) {
    if (threads.isShutdown()) {
      throw new DemoFailedException("the demo was stopped", null);
    }
    workers.add(WorkerProcess.start(url, settings));
  }

  /** Waits until all are ready, and tells how many are. */
  void awaitReady(Consumer<Integer> progress) throws InterruptedException {
    all(
        worker -> {
          worker.awaitReady();
          return true;
        },
        progress);
  }

  /** Lets all sell until nothing is left, and looks in on them ten times a second. */
  WorkerReport sell(Round round, Runnable look) throws InterruptedException {
    return WorkerReport.sum(all(worker -> worker.sell(round), done -> look.run()));
  }

  /** Lets all go in good order. */
  void dismiss() throws InterruptedException {
    all(
        worker -> {
          worker.dismiss();
          return true;
        },
        done -> {});
  }

  private <T> List<T> all(Function<WorkerProcess, T> task, Consumer<Integer> progress)
      throws InterruptedException {
    CompletionService<T> tasks = new ExecutorCompletionService<>(threads);
    int number;
    synchronized (this) {
      workers.forEach(worker -> tasks.submit(() -> task.apply(worker)));
      number = workers.size();
    }
    List<T> results = new ArrayList<>();
    while (results.size() < number) {
      progress.accept(results.size());
      Future<T> done = tasks.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      if (done != null) {
        results.add(resultOf(done));
      }
    }
    return results;
  }

  private static <T> T resultOf(Future<T> done) throws InterruptedException {
    try {
      return done.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof DemoFailedException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Ends them at once. */
  @Override
  public synchronized void close() {
    threads.shutdown();
    workers.forEach(WorkerProcess::close);
  }
}
