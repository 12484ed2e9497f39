package io.holdfast.bench.measure;

import io.holdfast.bench.lock.Subject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a scenario gave.
 *
 * @param id of the scenario
 * @param title of the scenario
 * @param delayed true if there was a delay on the network
 * @param metrics the columns; the first is the one to compare
 * @param series the rounds of each subject
 */
public record Result(
    String id, String title, boolean delayed, List<Metric> metrics, Map<Subject, Series> series) {
  /** What is compared and drawn. */
  public Metric headline() {
    return metrics.get(0);
  }

  /** The median of a metric for a subject. */
  public OptionalDouble median(Subject subject, Metric metric) {
    Series rounds = series.get(subject);
    return rounds == null ? OptionalDouble.empty() : rounds.median(metric);
  }

  /** How one subject compares with another, round by round. */
  public Optional<Ratio> ratio(Subject one, Subject other, Metric metric) {
    Series mine = series.get(one);
    Series theirs = series.get(other);
    return mine == null || theirs == null ? Optional.empty() : mine.ratio(theirs, metric);
  }

  /** The subject with this label, if it took part. */
  public Optional<Subject> subject(String label) {
    return series.keySet().stream().filter(s -> s.label().equals(label)).findFirst();
  }
}
