package io.holdfast.torture.history;

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
 *   process P    has it in the store ======X- - - - - - - - - - -| learns of it within a lease
 *     thread 1   OK ============RELEASE    |                     |
 *     thread 2                             | INVOKE OK ======    |     excused as well
 *   DEL                                    |
 * </pre>
 *
 * <p>Therefore all holds are excused that a process asks for within a lease after the fault, if it
 * had or wanted the lock when the fault came, or shortly before (it may keep it for a while).
 */
final class Excuses {
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
        asked > fault.until() && asked - lease <= fault.until() && had.contains(hold.client());
    if (existed || inherited) {
      hold.excuse(fault);
    }
  }
}
