package io.holdfast.torture.run;

import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.check.Violation;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.nemesis.PlannedFault;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a run was to do and did not do, and who is to blame. A server that does not start and a
 * fault that cannot be carried out say nothing about the engine: they are untried. Everything else
 * is a violation, as a client that ends by itself or does not connect to a running server. After a
 * fault that left a server down, the clients have an excuse.
 */
final class Shortfalls {
  static final String RULE = "run to the end";

  private final List<Untried> untried = new ArrayList<>();
  private final Set<String> failures = new LinkedHashSet<>();
  private boolean serverMayBeDown;

  /** The servers could not do their part at this stage. */
  void ofServers(String stage, Throwable why) {
    serverMayBeDown = true;
    untried.add(new Untried(stage, why.toString()));
  }

  /** These faults of the plan could not be carried out. */
  void ofNemesis(Map<PlannedFault, Throwable> failed) {
    failed.forEach(
        (fault, why) -> {
          serverMayBeDown |= fault.kind().target() == FaultKind.Target.SERVER;
          untried.add(
              new Untried(
                  "fault %d of the plan, %s".formatted(fault.id(), fault.kind().label()),
                  why.toString()));
        });
  }

  /** This was not tried, which is nobody's failure. */
  void untried(String what, String why) {
    untried.add(new Untried(what, why));
  }

  /** A client, or the run itself, failed. */
  void failed(String what) {
    failures.add(what);
  }

  /** What was not tried, with the failures that have an excuse. */
  List<Untried> untried() {
    List<Untried> all = new ArrayList<>(untried);
    if (serverMayBeDown) {
      failures.forEach(each -> all.add(new Untried("after that", each)));
    }
    return all;
  }

  /** The verdict about the failures that have none. */
  Verdict verdict(int clients) {
    List<Violation> violations =
        serverMayBeDown
            ? List.of()
            : failures.stream().map(each -> new Violation(each, List.of(), 0)).toList();
    Verdict.Status status = violations.isEmpty() ? Verdict.Status.PASSED : Verdict.Status.VIOLATED;
    return new Verdict(RULE, status, clients, violations, violations.size(), "");
  }
}
