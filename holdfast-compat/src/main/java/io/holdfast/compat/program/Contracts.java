package io.holdfast.compat.program;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs test classes in this JVM, several at a time, and the tests of those that say so: contracts
 * mostly wait.
 */
final class Contracts {
  private Contracts() {}

  /** Ends this JVM: with 1 if a test failed or if there was none. */
  static void run(Class<?>... classes) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(Arrays.stream(classes).map(each -> selectClass(each)).toList())
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter(
                    "junit.jupiter.execution.parallel.mode.default", "same_thread")
                .configurationParameter(
                    "junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter(
                    "junit.jupiter.execution.parallel.config.fixed.parallelism", "8")
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    summary.printFailuresTo(out, 40);
    summary.printTo(out);
    boolean green = summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > 0;
    System.exit(green ? 0 : 1);
  }
}
