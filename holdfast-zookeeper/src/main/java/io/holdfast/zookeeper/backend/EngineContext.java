package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendContext;
import java.time.Duration;

/** The objects that the classes of this engine share; one set for each manager. */
record EngineContext(
    BackendContext context,
    Paths paths,
    Fence fence,
    ServerClock clock,
    LeaseBook book,
    SoleUser soleUser,
    Duration timeout) {

  long now() {
    return context.time().nanoTime();
  }

  /** Notes the server time of a write of this client. */
  NodeStat written(NodeStat stat) {
    clock.heard(stat.changedAt(), now());
    return stat;
  }
}
