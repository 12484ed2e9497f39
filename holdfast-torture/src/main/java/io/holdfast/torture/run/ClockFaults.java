package io.holdfast.torture.run;

import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.nemesis.JumpingClock;
import io.holdfast.torture.store.TortureServer;
import io.holdfast.torture.store.TortureStore;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** Finds out which jumps of clocks cannot be run here, and why. */
final class ClockFaults {
  /** Begins the reason for what another attempt on this machine cannot do either. */
  static final String NEVER_HERE = "never on this machine: ";

  private static final Duration FIRST_JUMP = Duration.ofMinutes(1);
  private static final Duration PATIENCE = JumpingClock.NOTICE.multipliedBy(30);
  private static final long LOOK_MILLIS = 200;

  private ClockFaults() {}

  /** Those of the wanted faults that are not possible, with the reason. */
  static Map<FaultKind, String> impossible(TortureStore store, Set<FaultKind> wanted)
      throws InterruptedException {
    Map<FaultKind, String> impossible = new EnumMap<>(FaultKind.class);
    if (JumpingClock.library().isEmpty()) {
      String why = NEVER_HERE + "libfaketime is not installed";
      impossible.put(FaultKind.CLIENT_CLOCK, why);
      impossible.put(FaultKind.SERVER_CLOCK, why);
    } else if (wanted.contains(FaultKind.SERVER_CLOCK)) {
      if (store.servers().stream().anyMatch(server -> server.clock().isEmpty())) {
        impossible.put(FaultKind.SERVER_CLOCK, NEVER_HERE + "the server does not load libfaketime");
      } else if (!follow(store)) {
        impossible.put(
            FaultKind.SERVER_CLOCK,
            "the servers' clocks did not jump within %d s".formatted(PATIENCE.toSeconds()));
      }
    }
    impossible.keySet().retainAll(wanted);
    return impossible;
  }

  /** All clocks are set wrong before anything begins, and the store is asked for its time. */
  private static boolean follow(TortureStore store) throws InterruptedException {
    for (TortureServer server : store.servers()) {
      server.clock().ifPresent(clock -> clock.advance(FIRST_JUMP));
    }
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      if (store.wallClockMillis() - System.currentTimeMillis() > FIRST_JUMP.toMillis() / 2) {
        return true;
      }
      Thread.sleep(LOOK_MILLIS);
    }
    return false;
  }
}
