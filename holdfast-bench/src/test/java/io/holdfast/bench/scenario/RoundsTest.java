package io.holdfast.bench.scenario;

import static io.holdfast.bench.lock.Subjects.HOLDFAST;
import static io.holdfast.bench.lock.Subjects.REDISSON_PLAIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Progress;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.measure.Series;
import io.holdfast.bench.measure.Timing;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.bench.store.StoreEnvironment;
import io.holdfast.bench.store.Stores;
import io.holdfast.bench.weight.ClassPath;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoundsTest {
  @TempDir private Path directory;
  private final List<String> turns = new ArrayList<>();

  @Test
  void everySubjectHasItsTurnBeforeAnyHasItsNext() throws InterruptedException {
    Map<Subject, Series> all = run(steal(), scenario(3));
    assertThat(turns)
        .containsExactly("Holdfast", "Redisson", "Holdfast", "Redisson", "Holdfast", "Redisson");
    assertThat(of(HOLDFAST, all).rounds()).hasSize(3);
  }

  @Test
  void aRoundWithStolenTimeIsDroppedAndRepeatedAFewTimes() throws InterruptedException {
    Rounds rounds = new Rounds(progress(), steal(0.5, 0.0, 0.5, 0.5, 0.5));
    Map<Subject, Series> all = rounds.run(scenario(1), stage(), List.of(HOLDFAST, REDISSON_PLAIN));
    assertThat(turns).containsExactly("Holdfast", "Holdfast", "Redisson", "Redisson", "Redisson");
    assertThat(of(HOLDFAST, all).median(Metric.OPERATIONS)).hasValue(2);
    assertThat(of(REDISSON_PLAIN, all).rounds()).hasSize(1);
    assertThat(rounds.dropped()).isEqualTo(3);
    assertThat(rounds.kept()).isEqualTo(1);
  }

  @Test
  void aFailureIsKeptAsSuchAndTheRunGoesOn() throws InterruptedException {
    Scenario failing =
        new Plain(1) {
          @Override
          public Sample run(Subject subject, Stage stage) {
            throw new WorkerFailedException("stalled");
          }
        };
    Map<Subject, Series> all = run(steal(), failing);
    assertThat(of(REDISSON_PLAIN, all).failures()).hasValue("1 of 1 rounds failed: stalled");
  }

  private static Series of(Subject subject, Map<Subject, Series> all) {
    return Objects.requireNonNull(all.get(subject));
  }

  private Map<Subject, Series> run(Rounds.Steal steal, Scenario scenario)
      throws InterruptedException {
    return new Rounds(progress(), steal).run(scenario, stage(), List.of(HOLDFAST, REDISSON_PLAIN));
  }

  /** Gives these shares, and then none. */
  private static Rounds.Steal steal(double... shares) {
    Deque<Double> next = new ArrayDeque<>();
    for (double share : shares) {
      next.add(share);
    }
    return () -> {
      double share = next.isEmpty() ? 0 : next.remove();
      return () -> share;
    };
  }

  private static Progress progress() {
    return new Progress(new PrintWriter(Writer.nullWriter()), false, 1);
  }

  private Stage stage() {
    Timing some = Timing.SHORT;
    ClassPath classPath = ClassPath.ofThisJvm();
    Stores none = new Stores(new StoreEnvironment(classPath, directory));
    return new Stage(
        none,
        new Network(Duration.ZERO),
        some,
        classPath,
        directory,
        null,
        new WorkerPool(classPath));
  }

  private Scenario scenario(int rounds) {
    return new Plain(rounds);
  }

  private class Plain implements Scenario {
    private final int rounds;

    Plain(int rounds) {
      this.rounds = rounds;
    }

    @Override
    public String id() {
      return "X";
    }

    @Override
    public String title() {
      return "x";
    }

    @Override
    public List<Subject> subjects() {
      return List.of();
    }

    @Override
    public List<Metric> metrics() {
      return List.of(Metric.OPERATIONS);
    }

    @Override
    public int rounds(Stage stage) {
      return rounds;
    }

    @Override
    public Sample run(Subject subject, Stage stage) {
      turns.add(subject.label());
      return new Sample().with(Metric.OPERATIONS, turns.size());
    }
  }
}
