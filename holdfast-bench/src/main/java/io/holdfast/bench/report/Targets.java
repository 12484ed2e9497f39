package io.holdfast.bench.report;

import static io.holdfast.bench.lock.Subjects.CURATOR_MUTEX;
import static io.holdfast.bench.lock.Subjects.FLOOR;
import static io.holdfast.bench.lock.Subjects.FLOOR_OF_HANDOVER;
import static io.holdfast.bench.lock.Subjects.FLOOR_OF_PROMISES;
import static io.holdfast.bench.lock.Subjects.FLOOR_PIPELINED;
import static io.holdfast.bench.lock.Subjects.HOLDFAST;
import static io.holdfast.bench.lock.Subjects.HOLDFAST_FAIR;
import static io.holdfast.bench.lock.Subjects.HOLDFAST_LINGER;
import static io.holdfast.bench.lock.Subjects.HOLDFAST_PIPELINED;
import static io.holdfast.bench.lock.Subjects.POSTGRESQL;
import static io.holdfast.bench.lock.Subjects.REDISSON_FAIR;
import static io.holdfast.bench.lock.Subjects.REDISSON_PLAIN;
import static io.holdfast.bench.lock.Subjects.SPRING_SQL;
import static io.holdfast.bench.lock.Subjects.ZOOKEEPER;

import io.holdfast.bench.lock.Library;
import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Metric.Better;
import io.holdfast.bench.measure.Ratio;
import io.holdfast.bench.measure.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The targets of the project, looked up in the results of a run without a delay. Those of scenarios
 * that were not part of the run are left out.
 */
final class Targets {
  private final List<Result> results;
  private final List<Target> targets = new ArrayList<>();

  private Targets(List<Result> results) {
    this.results = results.stream().filter(result -> !result.delayed()).toList();
  }

  static List<Target> of(List<Result> results) {
    Targets targets = new Targets(results);
    targets.redisLock();
    targets.cost();
    targets.otherPrimitives();
    targets.engines();
    return targets.targets.stream().filter(targets::wasPartOfTheRun).toList();
  }

  private boolean wasPartOfTheRun(Target target) {
    return results.stream().anyMatch(result -> result.id().startsWith(target.scenario()));
  }

  private void redisLock() {
    Metric speed = Metric.OPERATIONS;
    atLeast("A", "share of the floor", 0.90, ratio("A", speed, HOLDFAST, FLOOR));
    atLeast(
        "A",
        "share of raw Lettuce with the same scripts",
        0.90,
        ratio("A", speed, HOLDFAST, FLOOR_OF_PROMISES));
    atMost("A", "commands per lock", 2, value("A", Metric.COMMANDS, HOLDFAST));
    atLeast("A", "pipelined release, x floor", 1.6, ratio("A", speed, HOLDFAST_PIPELINED, FLOOR));
    atLeast(
        "A",
        "pipelined release, share of raw Lettuce with the same scripts",
        0.90,
        ratio("A", speed, HOLDFAST_PIPELINED, FLOOR_PIPELINED));
    atLeast("A", "linger, x Redisson", 100, ratio("A", speed, HOLDFAST_LINGER, REDISSON_PLAIN));
    atMost("A", "linger, commands per lock", 0.01, value("A", Metric.COMMANDS, HOLDFAST_LINGER));
    atLeast("B", "share of the floor", 0.90, ratio("B", speed, HOLDFAST, FLOOR));
    atLeast("C", "x Redisson", 100, ratio("C", speed, HOLDFAST, REDISSON_PLAIN));
    atLeast("C", "x best peer", 30, againstBest("C", speed, HOLDFAST));
    atMost("C", "commands per lock", 0.1, value("C", Metric.COMMANDS, HOLDFAST));
    atLeast("C", "smallest / largest thread", 0.1, value("C", Metric.THREAD_SHARE, HOLDFAST));
    atLeast("D", "x Redisson", 50, ratio("D", speed, HOLDFAST, REDISSON_PLAIN));
    atLeast("D", "x best peer", 5, againstBest("D", speed, HOLDFAST));
    atLeast("D", "smallest / largest process", 0.5, value("D", Metric.PROCESS_SHARE, HOLDFAST));
    atLeast("D", "fair, x Redisson fair", 8, ratio("D", speed, HOLDFAST_FAIR, REDISSON_FAIR));
    Metric p50 = Metric.HANDOVER_P50;
    Metric p99 = Metric.HANDOVER_P99;
    atMost("E", "p50, share of Redisson's", 0.6, ratio("E", p50, HOLDFAST, REDISSON_PLAIN));
    atMost("E", "p50, share of the best peer's", 1, againstBest("E", p50, HOLDFAST));
    atMost("E", "p99, share of Redisson's", 0.5, ratio("E", p99, HOLDFAST, REDISSON_PLAIN));
    atMost("E", "p50, share of the floor's", 1.25, ratio("E", p50, HOLDFAST, FLOOR_OF_HANDOVER));
  }

  private void cost() {
    atMost("F", "commands/s", 30, value("F", Metric.COMMANDS_PER_SECOND, HOLDFAST));
    atMost(
        "F",
        "server CPU, share of Redisson's",
        1,
        ratio("F", Metric.SERVER_LOAD, HOLDFAST, REDISSON_PLAIN));
    atMost(
        "F",
        "client CPU, share of Redisson's",
        1,
        ratio("F", Metric.CLIENT_LOAD, HOLDFAST, REDISSON_PLAIN));
    atMost("F", "locks lost", 0, value("F", Metric.LOST, HOLDFAST));
    atMost("G", "bytes per idle lock", 200, value("G", Metric.IDLE_BYTES, HOLDFAST));
    atMost("G", "bytes more while held", 500, value("G", Metric.HELD_BYTES, HOLDFAST));
    atMost(
        "H",
        "megabytes, share of Redisson's",
        0.5,
        ratio("H", Metric.MEGABYTES, HOLDFAST, REDISSON_PLAIN));
    atMost(
        "H", "first lock, share of the floor's", 1, ratio("H", Metric.FIRST_LOCK, HOLDFAST, FLOOR));
    atMost(
        "H",
        "first lock with archive and C1, share of the floor's without",
        0.5,
        divide(
            value("H", Metric.FIRST_LOCK_ARCHIVED, HOLDFAST),
            value("H", Metric.FIRST_LOCK, FLOOR)));
    atMost("H", "connections", 3, value("H", Metric.CONNECTIONS, HOLDFAST));
    atMost("H", "threads", 10, value("H", Metric.THREADS, HOLDFAST));
    atMost(
        "I",
        "commands per lock with 64 managers, share of those with 4",
        1.1,
        divide(value("I64", Metric.COMMANDS, HOLDFAST), value("I4", Metric.COMMANDS, HOLDFAST)));
    atMost("J", "pinned carriers", 0, value("J", Metric.PINNED, HOLDFAST));
  }

  private void otherPrimitives() {
    for (String uncontended : List.of("K1", "K2", "K3")) {
      atLeast(uncontended, "x best peer", 1, againstBest(uncontended));
    }
    for (String contended : List.of("K4", "K5", "K6", "K7")) {
      atLeast(contended, "x best peer", 10, againstBest(contended));
    }
  }

  private void engines() {
    for (String scenario : List.of("C", "D")) {
      Metric speed = Metric.OPERATIONS;
      atLeast(
          scenario, "ZooKeeper, x Curator", 1, ratio(scenario, speed, ZOOKEEPER, CURATOR_MUTEX));
      atLeast(scenario, "JDBC, x Spring's", 1, ratio(scenario, speed, POSTGRESQL, SPRING_SQL));
    }
    Metric p50 = Metric.HANDOVER_P50;
    atMost("E", "ZooKeeper, share of Curator's", 1, ratio("E", p50, ZOOKEEPER, CURATOR_MUTEX));
    atMost("E", "JDBC, share of Spring's", 1, ratio("E", p50, POSTGRESQL, SPRING_SQL));
  }

  private void atLeast(String scenario, String text, double limit, OptionalDouble value) {
    targets.add(new Target(scenario, text, true, limit, value, Optional.empty()));
  }

  private void atMost(String scenario, String text, double limit, OptionalDouble value) {
    targets.add(new Target(scenario, text, false, limit, value, Optional.empty()));
  }

  private void atLeast(String scenario, String text, double limit, Optional<Ratio> ratio) {
    targets.add(new Target(scenario, text, true, limit, median(ratio), ratio));
  }

  private void atMost(String scenario, String text, double limit, Optional<Ratio> ratio) {
    targets.add(new Target(scenario, text, false, limit, median(ratio), ratio));
  }

  private static OptionalDouble median(Optional<Ratio> ratio) {
    return ratio.stream().mapToDouble(Ratio::median).findFirst();
  }

  private Optional<Result> result(String scenario) {
    return results.stream().filter(result -> result.id().equals(scenario)).findFirst();
  }

  private OptionalDouble value(String scenario, Metric metric, Subject subject) {
    return result(scenario).map(r -> r.median(subject, metric)).orElse(OptionalDouble.empty());
  }

  private Optional<Ratio> ratio(String scenario, Metric metric, Subject one, Subject other) {
    return result(scenario).flatMap(result -> result.ratio(one, other, metric));
  }

  /** Ours on Redis against whichever peer on Redis is best. */
  private Optional<Ratio> againstBest(String scenario) {
    return result(scenario)
        .flatMap(
            result ->
                result.series().keySet().stream()
                    .filter(subject -> subject.library() == Library.HOLDFAST_REDIS)
                    .findFirst())
        .flatMap(ours -> againstBest(scenario, Metric.OPERATIONS, ours));
  }

  private Optional<Ratio> againstBest(String scenario, Metric metric, Subject ours) {
    return result(scenario)
        .flatMap(
            result -> best(result, metric, ours).flatMap(peer -> result.ratio(ours, peer, metric)));
  }

  private static Optional<Subject> best(Result result, Metric metric, Subject ours) {
    Comparator<Subject> order =
        Comparator.comparingDouble(peer -> result.median(peer, metric).orElseThrow());
    return result.series().keySet().stream()
        .filter(peer -> !peer.ours() && !peer.library().floor() && peer.store() == ours.store())
        .filter(peer -> result.median(peer, metric).isPresent())
        .max(metric.better() == Better.HIGHER ? order : order.reversed());
  }

  private static OptionalDouble divide(OptionalDouble one, OptionalDouble other) {
    return one.isEmpty() || other.isEmpty() || other.getAsDouble() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(one.getAsDouble() / other.getAsDouble());
  }
}
