package io.holdfast.bench.measure;

import java.util.Arrays;

/**
 * How one compares with another in the same rounds. The machine may be faster in one round than in
 * the next; it is so for both, and that falls out.
 *
 * @param median over the rounds
 * @param least in a round
 * @param most in a round
 */
public record Ratio(double median, double least, double most) {
  /** Of the ratios of single rounds, at least one. */
  static Ratio of(double... rounds) {
    double[] sorted = rounds.clone();
    Arrays.sort(sorted);
    return new Ratio(Series.middle(sorted), sorted[0], sorted[sorted.length - 1]);
  }
}
