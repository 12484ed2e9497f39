package io.holdfast.bench.jmh;

import io.holdfast.internal.local.gate.LocalGate;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** The gate alone, beside the lock of the JDK that does the same without a process around it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GateBenchmark {
  private final LocalGate gate = new LocalGate();
  private final ReentrantLock jdk = new ReentrantLock();

  /** In and out, nobody else there. */
  @Benchmark
  @Threads(1)
  public void enterAndExit() {
    gate.exit(gate.enter(false, true));
  }

  /** The same with four threads. */
  @Benchmark
  @Threads(4)
  public void enterAndExitContended() {
    gate.exit(gate.enter(false, true));
  }

  /** For comparison. */
  @Benchmark
  @Threads(1)
  public void reentrantLock() {
    jdk.lock();
    jdk.unlock();
  }

  /** For comparison. */
  @Benchmark
  @Threads(4)
  public void reentrantLockContended() {
    jdk.lock();
    jdk.unlock();
  }
}
