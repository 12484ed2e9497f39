package io.holdfast.bench.jmh;

import io.holdfast.bench.measure.Timing;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the microbenchmarks with JMH, each in a JVM of its own. */
public final class Micro {
  private Micro() {}

  /** Runs all of them. */
  public static List<MicroResult> run(Timing timing) {
    TimeValue time = TimeValue.milliseconds((long) (1000 * timing.microSeconds()));
    Options options =
        new OptionsBuilder()
            .include(GateBenchmark.class.getName())
            .include(MemoryLockBenchmark.class.getName())
            .forks(1)
            .warmupIterations(timing.rounds())
            .warmupTime(time)
            .measurementIterations(timing.rounds() + 2)
            .measurementTime(time)
            .verbosity(VerboseMode.SILENT)
            .build();
    try {
      List<MicroResult> results = new ArrayList<>();
      for (RunResult run : new Runner(options).run()) {
        Result<?> result = run.getPrimaryResult();
        String name = run.getParams().getBenchmark();
        results.add(
            new MicroResult(
                name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1),
                result.getScore(),
                result.getScoreError(),
                result.getScoreUnit()));
      }
      return results;
    } catch (RunnerException e) {
      throw new IllegalStateException("the microbenchmarks failed", e);
    }
  }
}
