package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import java.util.List;

/** Something that is done with locks of several subjects and measured. */
public interface Scenario {
  /** The letter, and a number where there are several of the kind. */
  String id();

  /** One line. */
  String title();

  /** Who takes part. */
  List<Subject> subjects();

  /** The columns of its table; the first is the one that is compared and drawn. */
  List<Metric> metrics();

  /** How often each subject has its turn. */
  default int rounds(Stage stage) {
    return stage.timing().rounds();
  }

  /** One round of one subject. */
  Sample run(Subject subject, Stage stage) throws InterruptedException;
}
