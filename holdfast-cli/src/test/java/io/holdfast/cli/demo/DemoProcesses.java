package io.holdfast.cli.demo;

import java.util.List;

/** The processes of a demo, seen from outside. */
final class DemoProcesses {
  private DemoProcesses() {}

  /** The living workers among the descendants of a process. */
  static List<ProcessHandle> workersOf(ProcessHandle ancestor) {
    return ancestor
        .descendants()
        .filter(
            process -> process.info().commandLine().orElse("").contains(SellerMain.class.getName()))
        .toList();
  }
}
