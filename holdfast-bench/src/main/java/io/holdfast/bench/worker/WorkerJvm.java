package io.holdfast.bench.worker;

import io.holdfast.bench.lock.Library;
import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.process.JavaCommand;
import io.holdfast.bench.process.LineProcess;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.bench.weight.ClassPath;
import java.time.Duration;

/** A worker process as its parent sees it. */
public final class WorkerJvm implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String[] OPTIONS = {
    "-Xms256m", "-Xmx1g", "-XX:-UseDynamicNumberOfCompilerThreads"
  };

  private final LineProcess process;

  private WorkerJvm(LineProcess process) {
    this.process = process;
  }

  /** Starts one for a library, with default options. */
  public static WorkerJvm start(Library library, ClassPath classPath) {
    return start(library, command(library, classPath).options(OPTIONS));
  }

  /** Starts one with other options, or another JDK. */
  public static WorkerJvm start(Library library, JavaCommand command) {
    return new WorkerJvm(LineProcess.start("worker " + library, command.with()));
  }

  /** The command line of a worker, for more options. */
  public static JavaCommand command(Library library, ClassPath classPath) {
    return new JavaCommand(WorkerMain.class, classPath.forChild(library.artifacts()));
  }

  /** Connects. */
  public void open(Subject subject, String url, int clients, Duration lease)
      throws InterruptedException {
    run(
        "open",
        new Fields()
            .with("library", subject.library().name())
            .with("kind", subject.kind().name())
            .with("url", url)
            .with("clients", clients)
            .with("leaseMillis", lease.toMillis()));
  }

  /** Disconnects; the process stays. */
  public void disconnect() throws InterruptedException {
    run("close", new Fields());
  }

  /** Gives it a task and waits for the result. */
  public Fields run(String task, Fields order) throws InterruptedException {
    begin(task, order);
    return result(PATIENCE);
  }

  /** Gives it a task and does not wait. */
  public void begin(String task, Fields order) {
    process.send(task + " " + order);
  }

  /** Waits for the result of the task. */
  public Fields result(Duration limit) throws InterruptedException {
    String line = process.await(limit, WorkerMain.DONE, WorkerMain.FAILED);
    if (line.startsWith(WorkerMain.FAILED)) {
      throw new WorkerFailedException(Fields.parse(line).text("why"));
    }
    return Fields.parse(line.substring(WorkerMain.DONE.length()));
  }

  @Override
  public void close() {
    process.close();
  }
}
