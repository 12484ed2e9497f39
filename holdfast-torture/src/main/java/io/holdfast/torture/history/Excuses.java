package io.holdfast.torture.history;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds for each hold the first fault that breaks exclusion for it.
 *
 * <p>It is not enough to look at the holds that exist during the fault. What the store gives
 * belongs to a process, whose threads pass it on among themselves: a thread may enter, after the
 * fault, what its process was given before.
 *
 * <pre>
 *   process P    has it in the store ======X- - - - - - - - -|      passes nothing on any more
 *     thread 1   OK ============RELEASE    |                 |
 *     thread 2                             | INVOKE OK ======|===   excused as well
 *     thread 3                             |                 | INVOKE OK ===   from the store
 *   DEL                                    |<--- TRUSTED --->|
 * </pre>
 *
 * <p>Therefore all holds are excused that a process asks for soon after the fault, if it had or
 * wanted the lock when the fault came, or shortly before (it may keep it for a while). Soon is a
 * promise of the library: a hold follows another without the store only if the store has proved
 * within a second that the process has it. It needs no patience: the proof was given before the
 * fault, a hold is asked for before its token is taken, and both are read from one clock.
 */
final class Excuses {
  /** How old a proof may be, by a clock that may be slow by one per cent. */
  private static final long TRUSTED = Duration.ofMillis(1010).toNanos();

  private Excuses() {}

  static void find(HistoryIndex history) {
    long lease = history.lease();
    for (Fault fault : history.faults()) {
      if (fault.breaks(Detail.EXCLUSION)) {
        for (Map.Entry<Subject, List<Hold>> each : history.holds().entrySet()) {
          if (fault.concerns(each.getKey().key())) {
            Set<String> had = whoHad(history, each.getKey(), fault, lease);
            each.getValue().forEach(hold -> excuse(hold, fault, had, lease));
          }
        }
      }
    }
  }

  private static Set<String> whoHad(
      HistoryIndex history, Subject subject, Fault fault, long lease) {
    Set<String> clients = new HashSet<>();
    for (Call call : history.attempts().getOrDefault(subject, List.of())) {
      if (call.from() <= fault.until() && call.to() >= fault.from() - lease) {
        clients.add(call.client());
      }
    }
    for (Hold hold : history.holds().getOrDefault(subject, List.of())) {
      if (hold.acquire().from() <= fault.until() && hold.endedBy() >= fault.from() - lease) {
        clients.add(hold.client());
      }
    }
    return clients;
  }

  private static void excuse(Hold hold, Fault fault, Set<String> had, long lease) {
    long asked = hold.acquire().from();
    boolean existed = asked <= fault.until() && hold.endedBy() > fault.from();
    boolean inherited =
        asked > fault.until()
            && asked - Math.min(lease, TRUSTED) <= fault.until()
            && had.contains(hold.client());
    if (existed || inherited) {
      hold.excuse(fault);
    }
  }
}
