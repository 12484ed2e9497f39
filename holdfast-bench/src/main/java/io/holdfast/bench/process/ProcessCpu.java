package io.holdfast.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time of a process and its children, from {@code /proc}, in steps of 10 ms. What children used
 * that have ended is counted with the parent that waited for them.
 */
public final class ProcessCpu {
  private static final long NANOS_PER_TICK = 10_000_000;

  private ProcessCpu() {}

  /** Nanoseconds so far; zero where there is no {@code /proc}. */
  public static long nanos(long pid) {
    long ticks = ticks(pid, true);
    for (long child :
        ProcessHandle.of(pid).stream()
            .flatMap(ProcessHandle::descendants)
            .mapToLong(ProcessHandle::pid)
            .toArray()) {
      ticks += ticks(child, false);
    }
    return ticks * NANOS_PER_TICK;
  }

  private static long ticks(long pid, boolean withEndedChildren) {
    try {
      return parse(Files.readString(Path.of("/proc/" + pid + "/stat")), withEndedChildren);
    } catch (IOException e) {
      return 0; // gone meanwhile, or no /proc
    }
  }

  /** Fields 14 to 17 of the line; the name in field 2 may itself hold spaces. */
  static long parse(String stat, boolean withEndedChildren) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long own = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    long ended = Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
    return withEndedChildren ? own + ended : own;
  }
}
