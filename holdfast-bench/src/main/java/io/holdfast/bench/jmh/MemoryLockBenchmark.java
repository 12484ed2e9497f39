package io.holdfast.bench.jmh;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * The whole path of a lock on the in-memory engine: what core costs when the store costs nothing.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls setUp
public class MemoryLockBenchmark {
  private LockManager manager;
  private DistributedLock lock;

  /** Connects. */
  @Setup
  public void setUp() {
    manager = LockManager.create("memory:");
    lock = manager.getLock("bench");
  }

  /** Closes. */
  @TearDown
  public void tearDown() {
    manager.close();
  }

  /** Through gate, engine and store, nobody else there. */
  @Benchmark
  @Threads(1)
  public void lockAndUnlock() {
    lock.lock();
    lock.unlock();
  }

  /** Handed over between threads of one process. */
  @Benchmark
  @Threads(4)
  public void lockAndUnlockContended() {
    lock.lock();
    lock.unlock();
  }

  /** Entering a lock that the thread holds, five times in a row. */
  @Benchmark
  @Threads(1)
  public void enterFiveTimes() {
    for (int i = 0; i < 5; i++) {
      lock.lock();
    }
    for (int i = 0; i < 5; i++) {
      lock.unlock();
    }
  }
}
