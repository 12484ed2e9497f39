package io.holdfast.cli.demo;

import io.holdfast.testkit.ChildJvm;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * A worker process as seen by the demo. It ends when it is closed, and also when this JVM dies, in
 * whatever way.
 */
final class WorkerProcess implements AutoCloseable {
  private static final Duration STARTUP = Duration.ofMinutes(2);
  private static final Duration NO_LIMIT = Duration.ofDays(365);
  private static final Duration GOODBYE = Duration.ofSeconds(5);

  private final ChildJvm jvm;

  private WorkerProcess(ChildJvm jvm) {
    this.jvm = jvm;
  }

  static WorkerProcess start(String url, DemoSettings settings) {
    return new WorkerProcess(
        ChildJvm.builder(SellerMain.class)
            .jvmArgs("-Xmx128m")
            .env(SellerMain.URL_VARIABLE, url)
            .args(settings.key(), String.valueOf(settings.threads()))
            .start());
  }

  /** Waits until the worker has connected. */
  void awaitReady() {
    answer(SellerMain.READY, STARTUP);
  }

  /** Lets the worker sell, and waits until it finds nothing more to sell. */
  WorkerReport sell(Round round) {
    jvm.send(round.name());
    String line = answer(SellerMain.SOLD_OUT, NO_LIMIT);
    return WorkerReport.decode(line.substring(SellerMain.SOLD_OUT.length()));
  }

  /** Lets the worker go, and waits until it has gone. */
  void dismiss() {
    try {
      jvm.send(SellerMain.END);
      jvm.waitFor(GOODBYE);
    } catch (AssertionError e) {
      throw new DemoFailedException(whatBecameOfIt(), e);
    }
  }

  private String answer(String wanted, Duration limit) {
    String line;
    try {
      line =
          jvm.awaitLine(
              text -> text.startsWith(wanted) || text.startsWith(SellerMain.FAILED), limit);
    } catch (AssertionError e) { // how a ChildJvm says that its process is gone
      throw new DemoFailedException(whatBecameOfIt(), e);
    }
    if (line.startsWith(SellerMain.FAILED)) {
      throw new DemoFailedException(
          "worker process %d failed: %s"
              .formatted(jvm.pid(), line.substring(SellerMain.FAILED.length())),
          null);
    }
    return line;
  }

  private String whatBecameOfIt() {
    OptionalInt code = jvm.exitCode();
    String name = "worker process " + jvm.pid();
    return code.isEmpty()
        ? name + " does not answer"
        : (name + " ended unexpectedly with exit code " + code.getAsInt() + "\n" + jvm.stderr())
            .stripTrailing();
  }

  @Override
  public void close() {
    jvm.close();
  }
}
