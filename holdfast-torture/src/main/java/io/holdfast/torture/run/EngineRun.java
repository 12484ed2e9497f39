package io.holdfast.torture.run;

import io.holdfast.testservers.FaultyProxy;
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

  private final TortureSettings settings;
  private final EngineName engine;
  private final Supplier<TortureStore> servers;
  private final Progress progress;
  private final Path directory;
  private final List<Victim> victims = new ArrayList<>();
  private final Shortfalls shortfalls = new Shortfalls();
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

  /** Runs it. What it does not do is part of the result and no exception. */
  EngineResult run() throws InterruptedException {
    try {
      prepareDirectory();
      progress.engine(engine.label());
      show("starting servers");
      TortureStore store = startServers();
      return store == null ? soFar() : run(store);
    } catch (RuntimeException | AssertionError e) {
      shortfalls.failed("%s, and all that follows: %s".formatted(stage, e));
      return soFar();
    }
  }

  private @Nullable TortureStore startServers() {
    try {
      return servers.get();
    } catch (RuntimeException | AssertionError e) {
      shortfalls.ofServers(stage, e);
      return null;
    }
  }

  /** A violation stays one, whatever went wrong afterwards. */
  private EngineResult soFar() {
    List<HistoryEvent> events = eventsSoFar();
    long operations = count(events);
    List<Verdict> verdicts = new ArrayList<>();
    if (operations > 0) {
      verdicts.addAll(Checks.run(events, settings.patience()));
    }
    verdicts.add(endOfClients());
    return new EngineResult(
        engine,
        "?",
        Duration.ZERO,
        operations,
        List.of(),
        Set.of(),
        Map.of(),
        0,
        List.copyOf(verdicts),
        directory,
        shortfalls.untried());
  }

  private Verdict endOfClients() {
    victims.forEach(victim -> victim.failures().forEach(shortfalls::failed));
    return shortfalls.verdict(victims.size());
  }

  private EngineResult run(TortureStore store) throws InterruptedException {
    try (HistoryWriter history = new HistoryWriter(file("nemesis"), "nemesis")) {
      String version = store.version();
      Set<FaultKind> wanted = EnumSet.copyOf(store.faults());
      wanted.retainAll(settings.faults());
      Map<FaultKind, String> notRun = ClockFaults.impossible(store, wanted);
      Set<FaultKind> possible = EnumSet.copyOf(wanted);
      possible.removeAll(notRun.keySet());
      if (!startClients(store, possible)) {
        return soFar();
      }
      long begin = System.nanoTime();
      work(store, history, possible);
      Duration worked = Duration.ofNanos(System.nanoTime() - begin);
      if (settings.quiet().isZero()) {
        killAll(history);
      } else {
        probeAndClose(stop());
        findLeaks(store, history);
      }
      return judge(version, worked, possible, notRun);
    } finally {
      if (faults != null) {
        faults.interrupt();
      }
      victims.forEach(Victim::close);
      close(store);
    }
  }

  /** The verdict stands, also if a server does not end. */
  private void close(TortureStore store) {
    try {
      store.close();
    } catch (RuntimeException | AssertionError e) {
      progress.say("  %s: the servers do not end: %s".formatted(engine.label(), e));
    }
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

  /** False if one of them does not connect. */
  private boolean startClients(TortureStore store, Set<FaultKind> possible)
      throws InterruptedException {
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
    boolean ready = true;
    for (Victim victim : victims) {
      ready &= victim.awaitReady();
    }
    return ready;
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
    shortfalls.ofNemesis(nemesis.failed());
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
      Map<String, String> details = killing(victim.name());
      history.record("main", 0, Phase.NOTE, Action.FAULT_BEGIN, "", details);
      victim.kill();
      history.record("main", 0, Phase.NOTE, Action.FAULT_END, "", details);
    }
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
    List<Victim> told = new ArrayList<>();
    for (Victim victim : victims) {
      if (!victim.diedByItself() && victim.send("stop")) {
        told.add(victim);
      }
    }
    List<Victim> alive = new ArrayList<>();
    for (Victim victim : told) {
      if (victim.await(ClientMain.STOPPED, STOPPING)) {
        alive.add(victim);
      }
    }
    return alive;
  }

  /** One after the other takes each lock. */
  private void probeAndClose(List<Victim> alive) throws InterruptedException {
    show("taking each lock");
    for (Victim victim : alive) {
      if (victim.send("probe")) {
        victim.await(ClientMain.PROBED, PROBING);
      }
    }
    alive.forEach(victim -> victim.send("close"));
    for (Victim victim : alive) {
      victim.await(ClientMain.CLOSED, STOPPING);
    }
  }

  private void findLeaks(TortureStore store, HistoryWriter history) throws InterruptedException {
    show("looking for what is left");
    try {
      long end = System.nanoTime() + CLEARING.toNanos();
      while (System.nanoTime() < end
          && !(store.connections() == 0 && store.leftovers().isEmpty())) {
        Thread.sleep(LOOK_MILLIS);
      }
      int connections = store.connections();
      if (connections > 0) {
        leak(history, "connection", connections + " at the server");
      }
      store.leftovers().forEach(each -> leak(history, "stored", each));
    } catch (RuntimeException | AssertionError e) {
      shortfalls.ofServers(stage, e);
    }
  }

  private static long count(List<HistoryEvent> events) {
    return events.stream().filter(each -> each.phase() == Phase.INVOKE).count();
  }

  private static void leak(HistoryWriter history, String what, String text) {
    history.record(
        "main", 0, Phase.NOTE, Action.LEAK, "", Map.of(Detail.WHAT, what, Detail.TEXT, text));
  }

  private EngineResult judge(
      String version, Duration worked, Set<FaultKind> possible, Map<FaultKind, String> notRun) {
    show("checking the history");
    List<HistoryEvent> events = HistoryReader.readDirectory(directory);
    if (count(events) == 0) {
      shortfalls.failed("the clients began no operation");
    }
    List<Verdict> verdicts = new ArrayList<>(Checks.run(events, settings.patience()));
    verdicts.add(endOfClients());
    Path merged = directory.resolve("all.merged");
    HistoryReader.save(events, merged);
    boolean compared =
        verdicts.stream()
            .anyMatch(each -> each.check().equals(Verdict.FAIR_ORDER) && each.looked() > 0);
    if (!compared && settings.primitives().contains(Primitive.TURNS)) {
      shortfalls.untried(
          "order of fair locks",
          "no two grants could be compared"
              + (settings.clients() < CLIENTS_IN_A_QUEUE ? ", which needs three clients" : ""));
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
        List.copyOf(verdicts),
        merged,
        shortfalls.untried());
  }
}
