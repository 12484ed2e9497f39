package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.bench.worker.Fields;
import io.holdfast.bench.worker.LoadTask;
import io.holdfast.bench.worker.SharedPage;
import io.holdfast.bench.worker.WorkerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends all workers off at the same moment and gathers what they report. */
record LoadRun(LoadLayout layout, Subject subject, List<WorkerJvm> workers) {
  private static final long HEAD_START = TimeUnit.MILLISECONDS.toNanos(40);

  LoadResult go(Fields place, long millis) throws InterruptedException {
    boolean exclusive = layout.oneKey() && subject.kind().exclusive();
    boolean inOrder = exclusive && layout.processes() > 1;
    long start = System.nanoTime() + HEAD_START * workers.size();
    for (int i = 0; i < workers.size(); i++) {
      workers
          .get(i)
          .begin(
              "load",
              new Fields()
                  .with("key", place.text("key"))
                  .with("page", place.text("page"))
                  .with("worker", i)
                  .with("threads", layout.threadsPerProcess())
                  .with("oneKey", layout.oneKey())
                  .with("exclusive", exclusive)
                  .with("inOrder", inOrder)
                  .with("startNanos", start)
                  .with("millis", millis));
    }
    List<Fields> reports = new ArrayList<>();
    for (WorkerJvm worker : workers) {
      reports.add(worker.result(Duration.ofMillis(millis).plusSeconds(60)));
    }
    LoadResult result = new LoadResult(millis, reports, inOrder);
    if (exclusive) {
      long counted = new SharedPage(Path.of(place.text("page"))).get(LoadTask.COUNTER);
      if (counted != result.total()) {
        throw new WorkerFailedException(
            "NOT EXCLUSIVE: %d acquisitions, of which %d were counted under the lock"
                .formatted(result.total(), counted));
      }
    }
    return result;
  }
}
