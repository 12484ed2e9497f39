package io.holdfast.bench.report;

import io.holdfast.bench.jmh.MicroResult;
import io.holdfast.bench.measure.Result;
import io.holdfast.bench.measure.Timing;
import java.util.List;

/**
 * Everything a report is written from.
 *
 * @param timing how long things took
 * @param results what was measured
 * @param micro what the microbenchmarks gave
 * @param versions of the libraries
 * @param servers that were used
 * @param cpuAwake true if idle CPUs were kept from halting
 * @param dropped rounds that were repeated because CPU time was stolen
 * @param keptDisturbed rounds that were kept in spite of it
 * @param pings round trips in microseconds: direct, and over the network with a delay
 * @param delayMicros the delay in each direction
 */
public record RunFacts(
    Timing timing,
    List<Result> results,
    List<MicroResult> micro,
    List<String> versions,
    List<String> servers,
    boolean cpuAwake,
    int dropped,
    int keptDisturbed,
    List<Double> pings,
    long delayMicros) {}
