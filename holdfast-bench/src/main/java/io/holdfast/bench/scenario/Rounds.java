package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Progress;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.measure.Series;
import io.holdfast.bench.measure.StealMeter;
import io.holdfast.bench.process.WorkerFailedException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Runs scenarios in interleaved rounds: every subject has its turn before any has its next, so that
 * whatever changes about the machine meanwhile changes for all. A round from which the host took
 * CPU time away is dropped and repeated, a few times at most.
 */
public final class Rounds {
  private static final int ATTEMPTS = 3;

  private final Progress progress;
  private final Steal steal;
  private int dropped;
  private int kept;

  /** Tells its progress there. */
  public Rounds(Progress progress) {
    this(progress, () -> StealMeter.start()::share);
  }

  Rounds(Progress progress, Steal steal) {
    this.progress = progress;
    this.steal = steal;
  }

  /** Where stolen time is seen. */
  @FunctionalInterface
  interface Steal {
    /** Begins to measure; what is returned tells the share that was stolen since. */
    DoubleSupplier start();
  }

  /** How many steps a scenario will tell of. */
  public static int steps(Scenario scenario, Stage stage, List<Subject> subjects) {
    return scenario.rounds(stage) * subjects.size();
  }

  /** Runs one scenario. */
  public Map<Subject, Series> run(Scenario scenario, Stage stage, List<Subject> subjects)
      throws InterruptedException {
    Map<Subject, Series> all = new LinkedHashMap<>();
    int rounds = scenario.rounds(stage);
    for (int round = 1; round <= rounds; round++) {
      for (Subject subject : subjects) {
        progress.step("%s %d/%d %s".formatted(scenario.id(), round, rounds, subject));
        Sample sample = undisturbed(scenario, subject, stage);
        if (sample.failure() != null) {
          progress.say("%s, %s: %s".formatted(scenario.id(), subject, sample.failure()));
        }
        all.computeIfAbsent(subject, key -> new Series()).add(sample);
      }
    }
    return all;
  }

  private Sample undisturbed(Scenario scenario, Subject subject, Stage stage)
      throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      DoubleSupplier stolen = steal.start();
      Sample sample = attempt(scenario, subject, stage);
      if (stolen.getAsDouble() <= stage.timing().stealLimit()) {
        return sample;
      }
      if (attempt == ATTEMPTS) {
        kept++;
        return sample;
      }
      dropped++;
    }
  }

  /** Whatever goes wrong with one of many is no reason to lose the others. */
  private static Sample attempt(Scenario scenario, Subject subject, Stage stage)
      throws InterruptedException {
    try {
      return scenario.run(subject, stage);
    } catch (RuntimeException e) {
      return Sample.failed(
          e instanceof WorkerFailedException ? String.valueOf(e.getMessage()) : e.toString());
    }
  }

  /** Rounds that were dropped and repeated because of stolen time. */
  public int dropped() {
    return dropped;
  }

  /** Rounds that were kept in spite of it, since repeating did not help. */
  public int kept() {
    return kept;
  }
}
