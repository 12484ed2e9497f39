package io.holdfast.bench.worker;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/** CPU time, time to compile and allocated bytes of this process between two moments. */
final class ProcessMeter {
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
  private final long compiledBefore = compiler.getTotalCompilationTime();
  private final long cpuBefore = system.getProcessCpuTime();
  private final long compilersBefore = CompilerThreads.cpuNanos();
  private final long allocatedBefore = allocated();

  long cpuNanos() {
    return system.getProcessCpuTime() - cpuBefore;
  }

  /** Of {@link #cpuNanos}, what the compilers used. */
  long compilerNanos() {
    return CompilerThreads.cpuNanos() - compilersBefore;
  }

  long compileMillis() {
    return compiler.getTotalCompilationTime() - compiledBefore;
  }

  /** Right only while the threads that allocated are alive. */
  long allocatedBytes() {
    return allocated() - allocatedBefore;
  }

  private long allocated() {
    long sum = 0;
    for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
      sum += Math.max(bytes, 0);
    }
    return sum;
  }
}
