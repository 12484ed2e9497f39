package io.holdfast.bench.fault;

import io.holdfast.bench.process.JavaCommand;
import io.holdfast.bench.process.LineProcess;
import io.holdfast.bench.process.ProcessSignals;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.bench.worker.Fields;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A store in a process of its own, as its parent sees it. */
final class StoreHost implements AutoCloseable {
  private static final Duration STARTUP = Duration.ofMinutes(3);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final LineProcess process;
  private final List<Integer> ports;

  private StoreHost(LineProcess process) throws InterruptedException {
    this.process = process;
    this.ports = numbers(answer(STARTUP).text("ports")).map(Long::intValue).toList();
  }

  /**
   * Starts it.
   *
   * @param place for its files
   * @param environment variables for its process and those that it starts
   */
  static StoreHost start(FaultEngine engine, Path place, Map<String, String> environment)
      throws InterruptedException {
    JavaCommand command =
        new JavaCommand(StoreHostMain.class, System.getProperty("java.class.path"))
            .options("-Xmx512m");
    LineProcess process =
        LineProcess.start(
            engine.label(), command.with(engine.name(), place.toString()), environment);
    try {
      return new StoreHost(process);
    } catch (RuntimeException | InterruptedException e) {
      process.close();
      throw e;
    }
  }

  List<Integer> ports() {
    return ports;
  }

  /** Stops it and starts it again, and tells how many milliseconds it was away. */
  long restart() throws InterruptedException {
    return Duration.ofNanos(tell("restart").number("nanos")).toMillis();
  }

  void delete(String key) throws InterruptedException {
    tell("delete " + key);
  }

  void stopLeader() throws InterruptedException {
    tell("stopLeader");
  }

  void startFormerLeader() throws InterruptedException {
    tell("startFormerLeader");
  }

  /** Halts it for a while. */
  void pause(Duration time) throws InterruptedException {
    List<Long> ids = numbers(tell("processes").text("ids")).toList();
    ProcessSignals.stop(ids);
    try {
      Thread.sleep(time.toMillis());
    } finally {
      ProcessSignals.resume(ids);
    }
  }

  private Fields tell(String line) throws InterruptedException {
    process.send(line);
    return answer(PATIENCE);
  }

  private Fields answer(Duration limit) throws InterruptedException {
    String line = process.await(limit, StoreHostMain.DONE, StoreHostMain.FAILED);
    if (line.startsWith(StoreHostMain.FAILED)) {
      throw new WorkerFailedException(Fields.parse(line).text("why"));
    }
    return Fields.parse(line.substring(StoreHostMain.DONE.length()));
  }

  private static Stream<Long> numbers(String text) {
    return text.isEmpty() ? Stream.of() : Stream.of(text.split(",", -1)).map(Long::valueOf);
  }

  @Override
  public void close() {
    try {
      tell("close");
    } catch (WorkerFailedException e) {
      // it is gone, which is what is wanted
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.close();
  }
}
