package io.holdfast.torture.run;

import io.holdfast.testkit.FaultyProxy;
import io.holdfast.torture.check.Checks;
import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.client.ClientMain;
import io.holdfast.torture.client.ClientSettings;
import io.holdfast.torture.client.Primitive;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryReader;
import io.holdfast.torture.history.HistoryWriter;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.nemesis.FaultPlan;
import io.holdfast.torture.nemesis.JumpingClock;
import io.holdfast.torture.nemesis.Nemesis;
import io.holdfast.torture.nemesis.PlannedFault;
import io.holdfast.torture.nemesis.Victim;
import io.holdfast.torture.report.Progress;
import io.holdfast.torture.store.EngineName;
import io.holdfast.torture.store.TortureServer;
import io.holdfast.torture.store.TortureStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One engine from the start of its servers to the verdict.
 *
 * <pre>
 *   start servers and clients
 *   work under faults                  the plan of the nemesis
 *   work without faults                everything recovers
 *   stop, each client takes each lock  everything is obtainable
 *   close, look for what is left       nothing is
 *   check the history
 * </pre>
 */
final class EngineRun {
  private static final Duration STOPPING = Duration.ofMinutes(2);
  private static final Duration PROBING = Duration.ofMinutes(3);
  private static final Duration CLEARING = Duration.ofMinutes(1);
  private static final long LOOK_MILLIS = 200;
  private static final long JUDGE_NANOS = 1_000_000_000;
  private static final int CLIENTS_IN_A_QUEUE = 3; // one holds, two wait
  private static final Duration MOST_QUIET = Duration.ofMinutes(1);
  private static final Duration FIRST_JUMP = Duration.ofMinutes(1);

  private final TortureSettings settings;
  private final EngineName engine;
  private final Supplier<TortureStore> servers;
  private final Progress progress;
  private final Path directory;
  private final List<Victim> victims = new ArrayList<>();
  private final List<Untried> untried = new ArrayList<>();
  private String stage = "";
  private @Nullable Thread faults;

  EngineRun(TortureSettings settings, EngineName engine, Progress progress) {
    this(settings, engine, engine::start, progress);
  }

  /** With servers that may be starting already. */
  EngineRun(
      TortureSettings settings,
      EngineName engine,
      Supplier<TortureStore> servers,
      Progress progress) {
    this.servers = servers;
    this.settings = settings;
    this.engine = engine;
    this.progress = progress;
    this.directory = settings.out().resolve(engine.label());
  }

  /**
   * Runs it. What cannot be done, as to start a server in time, is part of the result and no
   * exception: it is no verdict about the engine.
   */
  EngineResult run() throws InterruptedException {
    try {
      return runToTheEnd();
    } catch (RuntimeException | AssertionError e) {
      untried.add(new Untried(stage, "and all that follows: " + e));
      return soFar();
    }
  }

  /** A violation stays one, whatever went wrong afterwards. */
  private EngineResult soFar() {
    List<HistoryEvent> events = eventsSoFar();
    long operations = count(events);
    List<Verdict> verdicts = operations == 0 ? List.of() : Checks.run(events, settings.patience());
    return new EngineResult(
        engine,
        "?",
        Duration.ZERO,
        operations,
        List.of(),
        Set.of(),
        Set.of(),
        0,
        verdicts,
        directory,
        List.copyOf(untried));
  }

  private EngineResult runToTheEnd() throws InterruptedException {
    prepareDirectory();
    progress.engine(engine.label());
    show("starting servers");
    try (TortureStore store = servers.get();
        HistoryWriter history = new HistoryWriter(file("nemesis"), "nemesis")) {
      String version = store.version();
      Set<FaultKind> wanted = EnumSet.copyOf(store.faults());
      wanted.retainAll(settings.faults());
      Set<FaultKind> possible = EnumSet.copyOf(wanted);
      if (JumpingClock.library().isEmpty()) {
        possible.removeAll(Set.of(FaultKind.CLIENT_CLOCK, FaultKind.SERVER_CLOCK));
      }
      if (possible.contains(FaultKind.SERVER_CLOCK) && !clocksCanBeSet(store)) {
        possible.remove(FaultKind.SERVER_CLOCK);
      }
      startClients(store, possible);
      long begin = System.nanoTime();
      work(store, history, possible);
      Duration worked = Duration.ofNanos(System.nanoTime() - begin);
      if (settings.quiet().isZero()) {
        killAll(history);
      } else {
        probeAndClose(stop());
        findLeaks(store, history);
      }
      wanted.removeAll(possible);
      return judge(version, worked, possible, wanted);
    } finally {
      if (faults != null) {
        faults.interrupt();
      }
      victims.forEach(Victim::close);
    }
  }

  /**
   * A library that a server is linked with statically cannot be told a wrong time: a jump of its
   * clock would be none. So all clocks are set wrong before anything begins, and the store is
   * asked.
   */
  private static boolean clocksCanBeSet(TortureStore store) throws InterruptedException {
    for (TortureServer server : store.servers()) {
      server.clock().ifPresent(clock -> clock.advance(FIRST_JUMP));
    }
    long end = System.nanoTime() + 4 * JumpingClock.NOTICE.toNanos();
    while (System.nanoTime() < end) {
      if (store.wallClockMillis() - System.currentTimeMillis() > FIRST_JUMP.toMillis() / 2) {
        return true;
      }
      Thread.sleep(LOOK_MILLIS);
    }
    return false;
  }

  private void prepareDirectory() {
    try {
      Files.createDirectories(directory);
      try (var old = Files.list(directory)) {
        for (Path file : old.filter(each -> each.toString().contains(".history")).toList()) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path file(String name) {
    return directory.resolve(name + HistoryReader.SUFFIX);
  }

  private void startClients(TortureStore store, Set<FaultKind> possible) {
    show("starting clients");
    for (int i = 1; i <= settings.clients(); i++) {
      // Without jumps it runs without the library that makes them.
      Optional<JumpingClock> clock =
          possible.contains(FaultKind.CLIENT_CLOCK)
              ? JumpingClock.in(directory.toAbsolutePath().resolve("clock-" + i))
              : Optional.empty();
      victims.add(new Victim(i, store.ports(), clock, victim -> client(store, victim)));
    }
    victims.forEach(Victim::start);
    victims.forEach(Victim::awaitReady);
  }

  private ClientSettings client(TortureStore store, Victim victim) {
    return new ClientSettings(
        victim.name(),
        victim.stream(),
        store.url(victim.ports()),
        store.registerUrl(),
        settings.seed(),
        settings.threads(),
        settings.longHolds(),
        TortureSettings.LEASE,
        file(victim.name()).toAbsolutePath(),
        settings.broken(),
        settings.primitives());
  }

  private void work(TortureStore store, HistoryWriter history, Set<FaultKind> possible)
      throws InterruptedException {
    stage = "work under faults";
    victims.forEach(victim -> victim.send("go"));
    List<PlannedFault> plan =
        FaultPlan.draw(
            settings.seed() + engine.label().hashCode(),
            possible,
            settings.time().minus(settings.quiet()),
            TortureSettings.LEASE,
            settings.clients(),
            Math.max(1, store.servers().size()));
    Nemesis nemesis = new Nemesis(plan, store, victims, history);
    Thread thread = new Thread(nemesis, "torture-nemesis");
    thread.setDaemon(true);
    faults = thread;
    long begin = System.nanoTime();
    thread.start();
    long end = begin + settings.time().minus(settings.quiet()).toNanos();
    long look = begin + JUDGE_NANOS;
    while (thread.isAlive() || System.nanoTime() < end) {
      progress.show(operations(), nemesis.now());
      Thread.sleep(LOOK_MILLIS);
      if (settings.quiet().isZero() && System.nanoTime() > look) {
        if (settings.enough().test(Checks.run(eventsSoFar(), settings.patience()))) {
          thread.interrupt();
          thread.join();
          break;
        }
        look = System.nanoTime() + JUDGE_NANOS;
      }
    }
    nemesis
        .failed()
        .forEach(
            (fault, why) ->
                untried.add(
                    new Untried(
                        "fault %d of the plan, %s".formatted(fault.id(), fault.kind().label()),
                        why.toString())));
    victims.forEach(victim -> victim.network(FaultyProxy::heal));
    if (!settings.quiet().isZero()) {
      victims.stream().filter(each -> !each.diedByItself()).forEach(each -> each.send("calm"));
    }
    stage = "work without faults";
    long quiet = System.nanoTime() + settings.quiet().toNanos();
    while (System.nanoTime() < quiet) {
      progress.show(operations(), "no more faults");
      Thread.sleep(LOOK_MILLIS);
    }
    if (!settings.quiet().isZero() && ordersFairLocks()) {
      awaitFairPairs(quiet + MOST_QUIET.toNanos());
    }
  }

  /** A busy machine needs longer than a fast one until two grants can be compared. */
  private void awaitFairPairs(long end) throws InterruptedException {
    while (System.nanoTime() < end && !hasFairPairs()) {
      progress.show(operations(), "waiting for grants in order");
      Thread.sleep(JUDGE_NANOS / 1_000_000);
    }
  }

  private boolean hasFairPairs() {
    List<HistoryEvent> events = HistoryReader.readDirectory(directory);
    return Checks.fairOrder(events, settings.patience()).looked() > 0;
  }

  private boolean ordersFairLocks() {
    return settings.primitives().contains(Primitive.TURNS)
        && settings.clients() >= CLIENTS_IN_A_QUEUE;
  }

  private void show(String now) {
    stage = now;
    progress.show(operations(), now);
  }

  private long operations() {
    return victims.stream().mapToLong(Victim::operations).sum();
  }

  /** What happened until now, as if all clients were killed: a call under way is not forgotten. */
  private List<HistoryEvent> eventsSoFar() {
    List<HistoryEvent> events = new ArrayList<>(HistoryReader.readDirectory(directory));
    long now = System.nanoTime();
    for (Victim victim : victims) {
      for (Action action : List.of(Action.FAULT_BEGIN, Action.FAULT_END)) {
        events.add(
            new HistoryEvent(
                now, "nemesis", "main", 0, Phase.NOTE, action, "", killing(victim.name())));
      }
    }
    return events;
  }

  private void killAll(HistoryWriter history) {
    for (Victim victim : victims) {
      if (victim.diedByItself()) {
        untried.add(died(victim));
      }
      Map<String, String> details = killing(victim.name());
      history.record("main", 0, Phase.NOTE, Action.FAULT_BEGIN, "", details);
      victim.kill();
      history.record("main", 0, Phase.NOTE, Action.FAULT_END, "", details);
    }
  }

  private static Untried died(Victim victim) {
    return new Untried("client " + victim.name(), "it died by itself: " + victim.errors());
  }

  private static Map<String, String> killing(String client) {
    return Map.of(
        Detail.FAULT,
        FaultKind.CLIENT_KILL.label(),
        Detail.ID,
        "end of " + client,
        Detail.TARGET,
        client,
        Detail.EFFECT,
        Detail.KILL);
  }

  /** Returns those that came to an end in good order. */
  private List<Victim> stop() throws InterruptedException {
    show("stopping");
    for (Victim victim : victims) {
      if (victim.diedByItself()) {
        untried.add(died(victim));
      } else {
        victim.send("stop");
      }
    }
    List<Victim> alive = new ArrayList<>();
    for (Victim victim : victims) {
      if (await(victim, ClientMain.STOPPED, STOPPING)) {
        alive.add(victim);
      }
    }
    return alive;
  }

  /** One after the other takes each lock. */
  private void probeAndClose(List<Victim> alive) throws InterruptedException {
    show("taking each lock");
    for (Victim victim : alive) {
      victim.send("probe");
      await(victim, ClientMain.PROBED, PROBING);
    }
    alive.forEach(victim -> victim.send("close"));
    for (Victim victim : alive) {
      await(victim, ClientMain.CLOSED, STOPPING);
    }
  }

  private boolean await(Victim victim, String word, Duration limit) throws InterruptedException {
    try {
      return victim.told(word).get(limit.toSeconds(), TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      untried.add(
          new Untried(
              stage,
              "client %s did not come to %s: %s %s"
                  .formatted(victim.name(), word, e, victim.errors())));
      return false;
    }
  }

  private void findLeaks(TortureStore store, HistoryWriter history) throws InterruptedException {
    show("looking for what is left");
    long end = System.nanoTime() + CLEARING.toNanos();
    while (System.nanoTime() < end && !(store.connections() == 0 && store.leftovers().isEmpty())) {
      Thread.sleep(LOOK_MILLIS);
    }
    int connections = store.connections();
    if (connections > 0) {
      leak(history, "connection", connections + " at the server");
    }
    store.leftovers().forEach(each -> leak(history, "stored", each));
  }

  private static long count(List<HistoryEvent> events) {
    return events.stream().filter(each -> each.phase() == Phase.INVOKE).count();
  }

  private static void leak(HistoryWriter history, String what, String text) {
    history.record(
        "main", 0, Phase.NOTE, Action.LEAK, "", Map.of(Detail.WHAT, what, Detail.TEXT, text));
  }

  private EngineResult judge(
      String version, Duration worked, Set<FaultKind> possible, Set<FaultKind> notRun) {
    show("checking the history");
    List<HistoryEvent> events = HistoryReader.readDirectory(directory);
    List<Verdict> verdicts = Checks.run(events, settings.patience());
    Path merged = directory.resolve("all.merged");
    HistoryReader.save(events, merged);
    boolean compared =
        verdicts.stream()
            .anyMatch(each -> each.check().equals(Verdict.FAIR_ORDER) && each.looked() > 0);
    if (!compared && settings.primitives().contains(Primitive.TURNS)) {
      untried.add(
          new Untried(
              "order of fair locks",
              "no two grants could be compared"
                  + (settings.clients() < CLIENTS_IN_A_QUEUE
                      ? ", which needs three clients"
                      : "")));
    }
    long losses = events.stream().filter(each -> each.action() == Action.LOST).count();
    return new EngineResult(
        engine,
        version,
        worked,
        count(events),
        FaultTally.of(events, verdicts, TortureSettings.LEASE.toNanos()),
        possible,
        notRun,
        losses,
        verdicts,
        merged,
        List.copyOf(untried));
  }
}
