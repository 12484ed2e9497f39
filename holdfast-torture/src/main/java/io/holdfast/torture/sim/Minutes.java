package io.holdfast.torture.sim;

import io.holdfast.Lease;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.Phase;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes down what comes of one request, as the client processes of a real run do. */
final class Minutes {
  private final World world;
  private final Client client;
  private final String actor;
  private final Actor.Resource resource;
  private final Map<String, String> asked;
  private final long op;

  Minutes(World world, Client client, String actor, Actor.Resource resource) {
    this.world = world;
    this.client = client;
    this.actor = actor;
    this.resource = resource;
    this.asked = resource.details();
    this.op = world.nextOp();
  }

  void asked() {
    Map<String, String> details = new HashMap<>(asked);
    details.put(Detail.HOW, "async");
    write(Phase.INVOKE, Action.ACQUIRE, details);
  }

  void answered(@Nullable Lease lease) {
    if (lease == null) {
      write(Phase.UNKNOWN, Action.ACQUIRE, Map.of());
      return;
    }
    Map<String, String> details = about(lease);
    if (resource.keys().size() == 1) {
      details.put(Detail.TOKEN, Long.toString(lease.token()));
    }
    write(Phase.OK, Action.ACQUIRE, details);
    lease.onLost(loss -> write(Phase.NOTE, Action.LOST, Map.of(Detail.HOLDER, holder())));
  }

  /** Looks whether it is valid. */
  void looked(Lease lease) {
    if (lease.isValid()) {
      write(Phase.NOTE, Action.VALID, Map.of(Detail.HOLDER, holder()));
    }
  }

  void givesBack(Lease lease) {
    write(Phase.INVOKE, Action.RELEASE, about(lease));
  }

  void gaveBack(@Nullable Throwable fault) {
    write(fault == null ? Phase.OK : Phase.FAIL, Action.RELEASE, Map.of());
  }

  private Map<String, String> about(Lease lease) {
    Map<String, String> details = new HashMap<>();
    details.put(Detail.HOLDER, holder());
    details.put(Detail.VALID, Boolean.toString(lease.isValid()));
    return details;
  }

  private String holder() {
    return client + "/" + op;
  }

  private void write(Phase phase, Action action, Map<String, String> details) {
    for (String key : resource.keys()) {
      world.record(
          new HistoryEvent(world.now(), client.toString(), actor, op, phase, action, key, details));
    }
  }
}
