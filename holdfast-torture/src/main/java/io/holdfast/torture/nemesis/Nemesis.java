package io.holdfast.torture.nemesis;

import io.holdfast.testservers.FaultyProxy;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryWriter;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.store.Failover;
import io.holdfast.torture.store.TortureServer;
import io.holdfast.torture.store.TortureStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Carries out a plan of faults, one after the other, and writes to the history what it does: the
 * begin of a fault before anything is done, its end when everything is undone.
 */
public final class Nemesis implements Runnable {
  private static final String THREAD = "nemesis";
  private static final Duration FAR = Duration.ofHours(1);
  private static final Duration SERVER_JUMP = Duration.ofMinutes(10);

  private final List<PlannedFault> plan;
  private final TortureStore store;
  private final List<Victim> victims;
  private final HistoryWriter history;
  private final long start;
  private volatile String now = "";
  private final Map<PlannedFault, Throwable> failed = new LinkedHashMap<>();

  /** For a plan that begins now. */
  public Nemesis(
      List<PlannedFault> plan, TortureStore store, List<Victim> victims, HistoryWriter history) {
    this.plan = plan;
    this.store = store;
    this.victims = victims;
    this.history = history;
    this.start = System.nanoTime();
  }

  /** What it is doing, for people; empty when nothing. */
  public String now() {
    return now;
  }

  /** What it could not do, and why. */
  public synchronized Map<PlannedFault, Throwable> failed() {
    return new LinkedHashMap<>(failed);
  }

  @Override
  public void run() {
    for (PlannedFault fault : plan) {
      try {
        sleepUntil(start + fault.startMillis() * 1_000_000);
        carryOut(fault);
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | AssertionError e) {
        synchronized (this) {
          failed.put(fault, e);
        }
      }
    }
  }

  private void carryOut(PlannedFault fault) throws InterruptedException {
    FaultKind kind = fault.kind();
    String target =
        switch (kind.target()) {
          case CLIENT -> victim(fault).name();
          case CLIENTS -> "all but " + victim(fault).name();
          case SERVER -> "server " + (fault.target() + 1);
          case KEY, DATA -> "";
        };
    Map<String, String> details = new LinkedHashMap<>();
    details.put(Detail.FAULT, kind.label());
    details.put(Detail.ID, Integer.toString(fault.id()));
    details.put(Detail.TARGET, target);
    if (!kind.effect().isEmpty()) {
      details.put(Detail.EFFECT, kind.effect());
    }
    String breaks =
        kind == FaultKind.LEADER_LOSS && losesWrites() ? Detail.EXCLUSION : kind.breaks();
    if (!breaks.isEmpty()) {
      details.put(Detail.BREAKS, breaks);
    }
    String key = kind == FaultKind.FORGET_KEY ? fault.key() : "";
    now = kind.label() + (target.isEmpty() ? key : " " + target);
    history.record(THREAD, 0, Phase.NOTE, Action.FAULT_BEGIN, key, details);
    try {
      inflict(fault);
    } finally {
      history.record(
          THREAD,
          0,
          Phase.NOTE,
          Action.FAULT_END,
          key,
          Map.of(Detail.ID, Integer.toString(fault.id()), Detail.FAULT, kind.label()));
      now = "";
    }
    if (kind == FaultKind.CLIENT_KILL) {
      // The fault is over with the death; a new process takes the place while others work.
      Victim victim = victim(fault);
      victim.start();
      if (victim.awaitReady()) {
        victim.send("go");
      }
    }
  }

  private boolean losesWrites() {
    return store.failover().map(Failover::mayLoseWrites).orElse(false);
  }

  private void inflict(PlannedFault fault) throws InterruptedException {
    long millis = fault.durationMillis();
    switch (fault.kind()) {
      case CLIENT_KILL -> {
        Thread.sleep(millis / 4);
        victim(fault).kill();
      }
      case CLIENT_PAUSE, CLIENT_STALL ->
          during(millis, victim(fault)::pause, victim(fault)::resume);
      case CLIENT_CLOCK -> jump(victim(fault).clock().orElseThrow(), FAR, millis);
      case CUT -> victim(fault).network(FaultyProxy::cut);
      case RESET -> victim(fault).network(FaultyProxy::reset);
      case REFUSE -> network(List.of(victim(fault)), FaultyProxy::refuse, millis);
      case BLACK_HOLE -> network(List.of(victim(fault)), FaultyProxy::blackHole, millis);
      case HALF_OPEN -> network(List.of(victim(fault)), FaultyProxy::blackHoleReplies, millis);
      case DELAY -> {
        Duration delay = Duration.ofMillis(20 + millis / 8);
        network(List.of(victim(fault)), proxy -> proxy.delay(delay), millis);
      }
      case PARTITION -> {
        List<Victim> others = new ArrayList<>(victims);
        others.remove(victim(fault));
        network(others, FaultyProxy::blackHole, millis);
      }
      case SERVER_KILL -> during(millis, server(fault)::kill, server(fault)::start);
      case SERVER_EMPTY ->
          during(
              millis,
              () -> {
                store.wipe();
                server(fault).kill();
              },
              server(fault)::start);
      case SERVER_PAUSE -> during(millis, server(fault)::pause, server(fault)::resume);
      case SERVER_CLOCK -> {
        // Not back: what was written in the future would stay until then.
        server(fault).clock().orElseThrow().advance(SERVER_JUMP);
        Thread.sleep(2 * JumpingClock.NOTICE.toMillis());
      }
      case LEADER_LOSS -> {
        Failover failover = store.failover().orElseThrow();
        during(millis, failover::loseLeader, failover::restore);
      }
      case WIPE -> store.wipe();
      case FORGET_KEY -> store.forget(fault.key());
      case SLOW -> store.slow(fault.key(), Duration.ofMillis(millis));
    }
  }

  private static void during(long millis, Runnable begin, Runnable end)
      throws InterruptedException {
    begin.run();
    try {
      Thread.sleep(millis);
    } finally {
      end.run();
    }
  }

  private static void network(List<Victim> victims, Consumer<FaultyProxy> fault, long millis)
      throws InterruptedException {
    during(
        millis,
        () -> victims.forEach(victim -> victim.network(fault)),
        () -> victims.forEach(victim -> victim.network(FaultyProxy::heal)));
  }

  /** There and back; the fault is over when every process has noticed. */
  private static void jump(JumpingClock clock, Duration offset, long millis)
      throws InterruptedException {
    during(millis, () -> clock.set(offset), () -> clock.set(Duration.ZERO));
    Thread.sleep(2 * JumpingClock.NOTICE.toMillis());
  }

  private Victim victim(PlannedFault fault) {
    return victims.get(fault.target());
  }

  private TortureServer server(PlannedFault fault) {
    return store.servers().get(fault.target());
  }

  private static void sleepUntil(long nanos) throws InterruptedException {
    long left = nanos - System.nanoTime();
    if (left > 0) {
      Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
    }
  }
}
