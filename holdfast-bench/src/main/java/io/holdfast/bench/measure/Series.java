package io.holdfast.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** The rounds of one subject in one scenario. */
public final class Series {
  private final List<Sample> rounds = new ArrayList<>();

  /** Adds a round. */
  public void add(Sample sample) {
    rounds.add(sample);
  }

  /** All rounds. */
  public List<Sample> rounds() {
    return List.copyOf(rounds);
  }

  /** The median over the rounds that worked out. */
  public OptionalDouble median(Metric metric) {
    double[] values = values(metric);
    return values.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(middle(values));
  }

  static double middle(double[] sorted) {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** This one's figures as multiples of another's, round by round; empty if no round has both. */
  public Optional<Ratio> ratio(Series other, Metric metric) {
    double[] ratios =
        IntStream.range(0, Math.min(rounds.size(), other.rounds.size()))
            .mapToObj(round -> ratio(rounds.get(round), other.rounds.get(round), metric))
            .flatMapToDouble(OptionalDouble::stream)
            .toArray();
    return ratios.length == 0 ? Optional.empty() : Optional.of(Ratio.of(ratios));
  }

  private static OptionalDouble ratio(Sample one, Sample other, Metric metric) {
    OptionalDouble mine = one.get(metric);
    OptionalDouble theirs = other.get(metric);
    return mine.isEmpty() || theirs.isEmpty() || theirs.getAsDouble() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(mine.getAsDouble() / theirs.getAsDouble());
  }

  /** Half of the distance between the largest and the smallest, as a share of the median. */
  public OptionalDouble spread(Metric metric) {
    double[] values = values(metric);
    OptionalDouble median = median(metric);
    if (values.length < 2 || median.isEmpty() || median.getAsDouble() == 0) {
      return OptionalDouble.empty();
    }
    double distance = values[values.length - 1] - values[0];
    return OptionalDouble.of(distance / 2 / Math.abs(median.getAsDouble()));
  }

  /** How many rounds failed, and why the last of them did. */
  public Optional<String> failures() {
    List<String> failures = rounds.stream().map(Sample::failure).filter(f -> f != null).toList();
    return failures.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%d of %d rounds failed: %s"
                .formatted(failures.size(), rounds.size(), failures.get(failures.size() - 1)));
  }

  private double[] values(Metric metric) {
    return rounds.stream()
        .map(sample -> sample.get(metric))
        .filter(OptionalDouble::isPresent)
        .mapToDouble(OptionalDouble::getAsDouble)
        .sorted()
        .toArray();
  }
}
