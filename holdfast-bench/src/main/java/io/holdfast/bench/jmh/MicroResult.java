package io.holdfast.bench.jmh;

/**
 * What a microbenchmark gave.
 *
 * @param name what was done
 * @param score how often or how long
 * @param error half of the 99.9 % confidence interval
 * @param unit of both
 */
public record MicroResult(String name, double score, double error, String unit) {}
