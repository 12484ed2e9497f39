package io.holdfast.bench.scenario;

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
import static io.holdfast.bench.lock.Subjects.REDISSON_FENCED;
import static io.holdfast.bench.lock.Subjects.REDISSON_PLAIN;
import static io.holdfast.bench.lock.Subjects.REDISSON_SPIN;
import static io.holdfast.bench.lock.Subjects.SHEDLOCK;
import static io.holdfast.bench.lock.Subjects.SHEDLOCK_SQL;
import static io.holdfast.bench.lock.Subjects.SPRING_PUBSUB;
import static io.holdfast.bench.lock.Subjects.SPRING_SPIN;
import static io.holdfast.bench.lock.Subjects.SPRING_SQL;
import static io.holdfast.bench.lock.Subjects.ZOOKEEPER;

import io.holdfast.bench.lock.Library;
import io.holdfast.bench.lock.LockKind;
import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.lock.Subjects;
import io.holdfast.bench.measure.Metric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All scenarios, with who takes part in each. */
public final class Scenarios {
  private static final int[] MANAGERS = {1, 4, 16, 64};

  private static final List<Subject> UNCONTENDED =
      List.of(
          FLOOR,
          FLOOR_OF_PROMISES,
          HOLDFAST,
          REDISSON_PLAIN,
          REDISSON_FENCED,
          REDISSON_FAIR,
          SPRING_SPIN,
          SPRING_PUBSUB,
          SHEDLOCK,
          ZOOKEEPER,
          CURATOR_MUTEX,
          POSTGRESQL,
          SPRING_SQL,
          SHEDLOCK_SQL);

  private static final List<Subject> CONTENDED =
      List.of(
          HOLDFAST,
          HOLDFAST_FAIR,
          REDISSON_PLAIN,
          REDISSON_SPIN,
          REDISSON_FAIR,
          SPRING_SPIN,
          SPRING_PUBSUB,
          ZOOKEEPER,
          CURATOR_MUTEX,
          POSTGRESQL,
          SPRING_SQL);

  private static final List<Subject> WAITING_BY_MESSAGE =
      List.of(HOLDFAST, HOLDFAST_FAIR, REDISSON_PLAIN, REDISSON_FAIR, SPRING_PUBSUB);

  private Scenarios() {}

  /** All of them, in the order of their letters. */
  public static List<Scenario> all() {
    List<Scenario> all = new ArrayList<>();
    all.add(
        uncontended(
            "A",
            "uncontended, 1 thread",
            LoadLayout.ownKeys(1),
            besideTheFloor(FLOOR_PIPELINED, HOLDFAST_PIPELINED, HOLDFAST_LINGER)));
    all.add(
        uncontended(
            "B", "uncontended, 16 threads on 16 keys", LoadLayout.ownKeys(16), UNCONTENDED));
    all.add(
        contended(
            "C", "16 threads of one process on one key", LoadLayout.oneKey(1, 16), CONTENDED));
    all.add(
        contended(
            "D",
            "4 processes x 4 threads on one key",
            LoadLayout.oneKey(4, 4),
            plus(CONTENDED, FLOOR_OF_HANDOVER)));
    all.add(
        new HandoverScenario(
            "E",
            "handoff between two processes: unlock() called to lock() returned",
            plus(CONTENDED, HOLDFAST_LINGER, FLOOR_OF_HANDOVER)));
    all.add(
        new HeldLocksScenario(
            "F",
            "many held locks kept alive, lease 3 s",
            Duration.ofSeconds(3),
            false,
            List.of(HOLDFAST, REDISSON_PLAIN, SPRING_PUBSUB, ZOOKEEPER, CURATOR_MUTEX)));
    all.add(
        new HeldLocksScenario(
            "F2",
            "many held locks with a lease of an hour: what the watchdog does, every 5 s",
            Duration.ofHours(1),
            true,
            List.of(HOLDFAST)));
    all.add(
        new HeapScenario(
            List.of(
                HOLDFAST,
                HOLDFAST_FAIR,
                REDISSON_PLAIN,
                REDISSON_FAIR,
                SPRING_SPIN,
                ZOOKEEPER,
                CURATOR_MUTEX)));
    all.add(
        new WeightScenario(
            List.of(
                FLOOR,
                HOLDFAST,
                REDISSON_PLAIN,
                SPRING_PUBSUB,
                SHEDLOCK,
                ZOOKEEPER,
                CURATOR_MUTEX,
                POSTGRESQL,
                SPRING_SQL,
                SHEDLOCK_SQL)));
    for (int number : MANAGERS) {
      all.add(managers(number));
    }
    all.add(new VirtualThreadsScenario(List.of(HOLDFAST, REDISSON_PLAIN)));
    all.addAll(otherPrimitives());
    all.add(new EnginesScenario(Subjects.ENGINES));
    return all;
  }

  /** Those that are compared with the floor are measured right after it. */
  private static List<Subject> besideTheFloor(Subject... more) {
    List<Subject> all = new ArrayList<>(UNCONTENDED);
    all.addAll(all.indexOf(HOLDFAST) + 1, List.of(more));
    return all;
  }

  private static List<Subject> plus(List<Subject> subjects, Subject... more) {
    return Stream.concat(subjects.stream(), Stream.of(more)).toList();
  }

  /** True for those that are repeated over a network with a delay. */
  public static boolean isMeasuredOverNetwork(Scenario scenario) {
    return List.of("A", "C", "D", "E").contains(scenario.id());
  }

  private static LoadScenario managers(int number) {
    return new LoadScenario(
        "I" + number,
        number + (number == 1 ? " manager" : " managers") + " on one key",
        LoadLayout.managers(number),
        WAITING_BY_MESSAGE,
        List.of(
            Metric.COMMANDS,
            Metric.OPERATIONS,
            Metric.BYTES,
            Metric.SERVER_CPU,
            Metric.ACQUIRE_P99));
  }

  private static List<Scenario> otherPrimitives() {
    LoadLayout alone = LoadLayout.ownKeys(1);
    LoadLayout together = LoadLayout.oneKey(1, 16);
    List<Subject> read = Subjects.ofKind(LockKind.READ, "read");
    List<Subject> write = Subjects.ofKind(LockKind.WRITE, "write");
    List<Subject> mixed = Subjects.ofKind(LockKind.READ_WRITE, "read-write");
    List<Subject> semaphore =
        Stream.concat(
                Subjects.ofKind(LockKind.SEMAPHORE, "semaphore").stream(),
                Stream.of(
                    new Subject(
                        "Redisson semaphore with leases",
                        Library.REDISSON,
                        LockKind.LEASED_SEMAPHORE)))
            .toList();
    return List.of(
        uncontended("K1", "read lock, 1 thread", alone, read),
        uncontended("K2", "write lock, 1 thread", alone, write),
        uncontended("K3", "semaphore of 4 permits, 1 thread", alone, semaphore),
        contended("K4", "read-write lock, 90 % readers, 16 threads on one key", together, mixed),
        contended("K5", "write lock, 16 threads on one key", together, write),
        contended("K6", "semaphore of 4 permits, 16 threads", together, semaphore),
        contended(
            "K7",
            "fair lock, 16 threads on one key",
            together,
            List.of(HOLDFAST_FAIR, REDISSON_FAIR, ZOOKEEPER, CURATOR_MUTEX)));
  }

  private static Scenario uncontended(
      String id, String title, LoadLayout layout, List<Subject> subjects) {
    return new LoadScenario(
        id,
        title,
        layout,
        subjects,
        List.of(
            Metric.OPERATIONS,
            Metric.PAIR_P50,
            Metric.PAIR_P99,
            Metric.COMMANDS,
            Metric.BYTES,
            Metric.CLIENT_CPU,
            Metric.SERVER_CPU,
            Metric.ALLOCATED));
  }

  private static Scenario contended(
      String id, String title, LoadLayout layout, List<Subject> subjects) {
    List<Metric> fairness =
        layout.processes() > 1
            ? List.of(Metric.PROCESS_SHARE, Metric.OUT_OF_ORDER)
            : List.of(Metric.THREAD_SHARE);
    List<Metric> metrics =
        new ArrayList<>(
            List.of(
                Metric.OPERATIONS,
                Metric.ACQUIRE_P50,
                Metric.ACQUIRE_P99,
                Metric.COMMANDS,
                Metric.BYTES,
                Metric.CLIENT_CPU,
                Metric.SERVER_CPU,
                Metric.ALLOCATED));
    metrics.addAll(5, fairness);
    return new LoadScenario(id, title, layout, subjects, metrics);
  }
}
