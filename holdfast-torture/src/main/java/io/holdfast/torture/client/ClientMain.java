package io.holdfast.torture.client;

import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.StoreException;
import io.holdfast.testkit.ParentProcess;
import io.holdfast.torture.broken.BrokenEngine;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * The main class of a client process. Its parent leads it through its life, line by line:
 *
 * <pre>
 *   -> (start)  READY        <- go       threads work, and OPS n is told now and then
 *   <- calm                              there will be no more faults
 *   <- stop     -> STOPPED   <- probe    -> PROBED
 *   <- close    -> CLOSED                what is left of threads is in the history
 * </pre>
 */
public final class ClientMain {
  /** Told when it is connected. */
  public static final String READY = "READY";

  /** Told with the number of operations so far. */
  public static final String OPS = "OPS ";

  /** Told when all threads have ended. */
  public static final String STOPPED = "STOPPED";

  /** Told after the probe. */
  public static final String PROBED = "PROBED";

  /** Told at the end. */
  public static final String CLOSED = "CLOSED";

  private static final Duration CONNECTING = Duration.ofMinutes(2);
  private static final Duration TELL = Duration.ofMillis(250);
  private static final long THREADS_END_MILLIS = 30_000;

  private final ClientSettings settings;
  private final ParentProcess parent = ParentProcess.connect();
  private final AtomicLong done = new AtomicLong();
  private final List<Worker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final TurnsDraw turns;

  private ClientMain(ClientSettings settings) {
    this.settings = settings;
    this.turns = new TurnsDraw(settings.seed(), settings.stream());
  }

  /** Takes {@link ClientSettings#arguments()}. */
  public static void main(String[] args) throws InterruptedException {
    new ClientMain(ClientSettings.parse(args)).run();
    System.exit(0);
  }

  private void run() throws InterruptedException {
    Set<Long> before =
        Thread.getAllStackTraces().keySet().stream().map(Thread::getId).collect(Collectors.toSet());
    try (HistoryWriter history = new HistoryWriter(settings.history(), settings.name())) {
      Recorder main = new Recorder(history, settings.name(), "main");
      LockManager manager = connect();
      Interrupter interrupter = new Interrupter();
      Locks locks = new Locks(manager, settings.lease(), interrupter, new Losses());
      main.note(
          System.nanoTime(),
          Action.CLIENT_START,
          List.of(""),
          Map.of(Detail.LEASE_MILLIS, Long.toString(settings.lease().toMillis())));
      parent.tell(READY);
      parent.await("go");
      work(locks, history);
      QueueWatcher watcher =
          new QueueWatcher(locks, new Recorder(history, settings.name(), "watcher"), turns);
      Thread watching = new Thread(watcher, "torture-watcher");
      threads.add(watching);
      watching.start();
      if (awaitTelling("calm", "stop").equals("calm")) {
        turns.calm();
        awaitTelling("stop");
      }
      for (Worker worker : workers) {
        worker.stop();
      }
      watcher.stop();
      for (Thread thread : threads) {
        thread.join();
      }
      parent.tell(OPS + done.get());
      parent.tell(STOPPED);
      parent.await("probe");
      new Probe(locks, main, settings.registerUrl()).run(settings.lease().plusSeconds(3));
      parent.tell(PROBED);
      parent.await("close");
      interrupter.close();
      manager.close();
      reportThreads(before, main);
      main.note(System.nanoTime(), Action.CLIENT_END, List.of(""), Map.of());
      parent.tell(CLOSED);
    }
  }

  private LockManager connect() {
    LockConfig config =
        LockConfig.builder()
            .leaseTime(settings.lease())
            .storeTimeout(settings.lease().multipliedBy(2))
            .watchdogPeriod(Duration.ofMillis(500))
            .build();
    LockManagerBuilder builder =
        LockManager.builder(settings.url()).application(settings.name()).defaults(config);
    if (!settings.broken().isEmpty()) {
      builder.engine(BrokenEngine.valueOf(settings.broken()).wrapFor(settings.url()));
    }
    // A JVM that has just begun may be too slow for the time-outs that suit faults.
    long end = System.nanoTime() + CONNECTING.toNanos();
    while (true) {
      try {
        return builder.build();
      } catch (StoreException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
      }
    }
  }

  private void work(Locks locks, HistoryWriter history) {
    boolean onlyTurns = settings.primitives().equals(Set.of(Primitive.TURNS));
    for (int i = 0; i < settings.threads() && !onlyTurns; i++) {
      Recorder recorder = new Recorder(history, settings.name(), "t" + i);
      OperationDraw draw =
          new OperationDraw(
              settings.seed(),
              settings.stream(),
              i,
              settings.lease().toMillis(),
              settings.longHolds(),
              settings.primitives());
      start(new Worker(locks, draw::next, recorder, done, settings.registerUrl()), "worker-" + i);
    }
    if (settings.primitives().contains(Primitive.TURNS)) {
      Recorder recorder = new Recorder(history, settings.name(), "turns");
      start(new Worker(locks, turns::next, recorder, done, settings.registerUrl()), "turns");
    }
  }

  private void start(Worker worker, String name) {
    Thread thread = new Thread(worker, "torture-" + name);
    workers.add(worker);
    threads.add(thread);
    thread.start();
  }

  private String awaitTelling(String... commands) throws InterruptedException {
    while (true) {
      String line = parent.poll(TELL);
      if (line != null && List.of(commands).contains(line)) {
        return line;
      }
      parent.tell(OPS + done.get());
    }
  }

  /** Threads that are there now and were not before we began, a moment after everything ended. */
  private static void reportThreads(Set<Long> before, Recorder main) throws InterruptedException {
    long end = System.nanoTime() + THREADS_END_MILLIS * 1_000_000;
    List<Thread> left = leftThreads(before);
    while (!left.isEmpty() && System.nanoTime() < end) {
      Thread.sleep(50);
      left = leftThreads(before);
    }
    for (Thread thread : left) {
      main.note(
          System.nanoTime(),
          Action.LEAK,
          List.of(""),
          Map.of(Detail.WHAT, "thread", Detail.TEXT, thread.getName()));
    }
  }

  private static List<Thread> leftThreads(Set<Long> before) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread.getId()))
        .filter(thread -> !isOfTheJvm(thread) && !isIdleCallback(thread))
        .toList();
  }

  /** Threads of callbacks end when they have nothing to do and the manager is closed. */
  private static boolean isIdleCallback(Thread thread) {
    return thread.getName().startsWith("holdfast-callback")
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(frame -> frame.getMethodName().equals("awaitTask"));
  }

  /** Threads that the JVM or a driver keeps for the life of the process, whoever used it first. */
  private static boolean isOfTheJvm(Thread thread) {
    String name = thread.getName();
    return thread == Thread.currentThread()
        || name.equals("Common-Cleaner")
        || name.equals("process reaper")
        || name.startsWith("Cleaner-") // java.lang.ref.Cleaner, of the driver of PostgreSQL
        || name.startsWith("PostgreSQL-JDBC-Cleaner")
        || name.startsWith("PostgreSQL-JDBC-SharedTimer")
        || name.startsWith("ForkJoinPool.commonPool")
        || name.startsWith("globalEventExecutor")
        || name.startsWith("mariadb-timeout")
        || name.startsWith("MariaDb-timeout")
        || name.startsWith("DestroyJavaVM")
        || name.startsWith("Java2D");
  }
}
