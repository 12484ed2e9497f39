package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Resource;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the line of a holder, to signal that another owner waits, or that the holder's node is
 * gone. It starts only after a moment, so that a short hold costs nothing, and pauses between looks
 * while others come and go that do not wait for this holder.
 */
final class ContentionWatch {
  private static final Logger log = LoggerFactory.getLogger(ContentionWatch.class);

  /** How long an owner must hold before its line is worth watching. */
  static final long MOMENT_NANOS = 3_000_000;

  private static final long PAUSE_NANOS = 100_000_000;

  private final Place place;
  private final EngineContext engine;
  private final Runnable lost;
  private final AtomicBoolean planned = new AtomicBoolean();
  private volatile long changedAt;

  private ContentionWatch(Place place, Runnable lost) {
    this.place = place;
    this.engine = place.engine;
    this.lost = lost;
    this.changedAt = engine.now() - PAUSE_NANOS;
  }

  /** True if there is nothing left to signal: contention is known, or the hold is over. */
  static boolean isSettled(Place place) {
    return !place.isGranted() || place.isGivenUp() || place.isContended() || place.session.isOver();
  }

  /**
   * Begins to watch for a place that was granted a moment ago.
   *
   * @param lost runs if the node is gone
   */
  static void watch(Place place, Runnable lost) {
    new ContentionWatch(place, lost).look();
  }

  private void plan(long delay) {
    if (!isSettled(place) && planned.compareAndSet(false, true)) {
      engine.context().scheduler().schedule(delay, this::look);
    }
  }

  private void look() {
    planned.set(false);
    if (isSettled(place)) {
      return;
    }
    place
        .session
        .children(engine.paths().of(place.resource), deleted -> changed())
        .whenComplete(
            (children, fault) -> {
              if (fault == null) {
                judge(children);
              } else if (ZooKeeperFaults.isMissing(fault)) {
                judge(Children.NONE);
              } else if (ZooKeeperFaults.mayPass(fault)) {
                plan(PAUSE_NANOS);
              } else {
                log.debug("{}: cannot watch the line", place.resource, fault);
              }
            });
  }

  private void judge(Children children) {
    String name = place.nameOrEmpty();
    if (isSettled(place) || name.isEmpty()) {
      return;
    }
    Line line = Line.of(place.resource, children.names());
    Ticket me = line.named(name);
    if (me == null) {
      lost.run();
    } else if (line.isContended(me)) {
      place.contended();
      engine.context().signals().contended(place.owner);
    }
  }

  /** Every newcomer at a lock waits for its holder; readers may come and go beside each other. */
  private void changed() {
    long now = engine.now();
    long pause = Math.max(0, PAUSE_NANOS - (now - changedAt));
    changedAt = now;
    plan(place.resource.kind() == Resource.Kind.LOCK ? 0 : pause);
  }
}
