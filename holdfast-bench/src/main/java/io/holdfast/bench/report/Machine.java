package io.holdfast.bench.report;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a run was made on. */
final class Machine {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  private Machine() {}

  static List<String> describe() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return List.of(
        "%d CPUs, %s%s, %d GB"
            .formatted(
                system.getAvailableProcessors(),
                cpuInfo("model name"),
                cpuInfo("flags").contains("hypervisor") ? ", a virtual machine" : "",
                Math.round(system.getTotalMemorySize() / 1e9)),
        "%s %s".formatted(System.getProperty("os.name"), System.getProperty("os.version")),
        "Java %s (%s)"
            .formatted(System.getProperty("java.version"), System.getProperty("java.vm.name")));
  }

  private static String cpuInfo(String name) {
    try {
      return Files.readAllLines(CPU_INFO).stream()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}
