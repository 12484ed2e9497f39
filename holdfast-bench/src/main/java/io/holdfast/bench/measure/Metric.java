package io.holdfast.bench.measure;

import java.util.Locale;

/** What is measured, with its name in tables. "Per lock" means per acquisition with its release. */
public enum Metric {
  OPERATIONS("locks/s", Better.HIGHER),
  ACQUIRE_P50("lock() p50, µs", Better.LOWER),
  ACQUIRE_P99("lock() p99, µs", Better.LOWER),
  PAIR_P50("pair p50, µs", Better.LOWER),
  PAIR_P99("pair p99, µs", Better.LOWER),
  PAIR_MAX("pair at worst, µs", Better.LOWER),
  COMMANDS("commands per lock", Better.LOWER),
  BYTES("bytes on the wire per lock", Better.LOWER),
  CLIENT_CPU("client CPU, µs per lock", Better.LOWER),
  SERVER_CPU("server CPU, µs per lock", Better.LOWER),
  ALLOCATED("allocated bytes per lock", Better.LOWER),
  PROCESS_SHARE("smallest / largest process", Better.HIGHER),
  OUT_OF_ORDER("places out of order of arrival", Better.LOWER),
  THREAD_SHARE("smallest / largest thread", Better.HIGHER),
  HANDOVER_P50("handoff p50, ms", Better.LOWER),
  HANDOVER_P99("handoff p99, ms", Better.LOWER),
  HANDOVERS("handoffs seen", Better.NEITHER),
  COMMANDS_PER_SECOND("commands/s", Better.LOWER),
  CLIENT_LOAD("client CPU without its compilers, % of a core", Better.LOWER),
  SERVER_LOAD("server CPU, % of a core", Better.LOWER),
  THREADS("threads", Better.LOWER),
  CONNECTIONS("connections", Better.LOWER),
  LOST("locks lost", Better.LOWER),
  FAILED("threads that failed", Better.LOWER),
  IDLE_BYTES("bytes per idle lock", Better.LOWER),
  HELD_BYTES("bytes more while held", Better.LOWER),
  JARS("jars", Better.LOWER),
  MEGABYTES("megabytes", Better.LOWER),
  FIRST_LOCK("start to first lock, ms", Better.LOWER),
  FIRST_LOCK_ARCHIVED("the same with archive and C1, ms", Better.LOWER),
  SECONDS("seconds", Better.LOWER),
  WAITING_BYTES("heap per waiting thread, bytes", Better.LOWER),
  PINNED("pinned carriers", Better.LOWER),
  CONTENDED("contended locks/s", Better.HIGHER),
  CONTENDED_COMMANDS("commands per contended lock", Better.LOWER);

  /** Which of two values is the better one. */
  public enum Better {
    HIGHER,
    LOWER,
    NEITHER
  }

  private final String label;
  private final Better better;

  Metric(String label, Better better) {
    this.label = label;
    this.better = better;
  }

  /** The head of its column. */
  public String label() {
    return label;
  }

  /** Which direction is good. */
  public Better better() {
    return better;
  }

  /** With as many digits as say something. */
  public static String format(double value) {
    double size = Math.abs(value);
    if (value == Math.rint(value) && size < 1000) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    if (size >= 100) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f", value);
  }
}
