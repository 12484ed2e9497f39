package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendContext;
import java.time.Duration;

/** What the classes of this engine share: one set per manager. */
record EngineContext(
    BackendContext context,
    Paths paths,
    Fence fence,
    ServerClock clock,
    LeaseBook book,
    SoleUser alone,
    Duration timeout) {

  long now() {
    return context.time().nanoTime();
  }

  /** Notes the time of a write of ours. */
  NodeStat written(NodeStat stat) {
    clock.heard(stat.changedAt(), now());
    return stat;
  }
}
