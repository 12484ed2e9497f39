package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Resource;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a holder when somebody comes to wait for what it holds, and when its node is gone. It
 * watches the line for that; but only if it holds for longer than a moment, so that a short hold
 * costs nothing, and with a pause between looks if others come and go that do not wait for it.
 */
final class ContentionWatch {
  private static final Logger log = LoggerFactory.getLogger(ContentionWatch.class);

  /** For how long somebody must hold before it is worth watching. */
  static final long MOMENT_NANOS = 3_000_000;

  private static final long PAUSE_NANOS = 100_000_000;

  private final Place place;
  private final EngineContext parts;
  private final Runnable lost;
  private final AtomicBoolean planned = new AtomicBoolean();
  private volatile long changedAt;

  private ContentionWatch(Place place, Runnable lost) {
    this.place = place;
    this.parts = place.parts;
    this.lost = lost;
    this.changedAt = parts.now() - PAUSE_NANOS;
  }

  /** True if a holder need not, or cannot, be told anything any more. */
  static boolean isSettled(Place place) {
    return !place.isGranted() || place.isGivenUp() || place.isContended() || place.session.isOver();
  }

  /**
   * Begins for a place that was granted a moment ago.
   *
   * @param lost what to do if the node is gone
   */
  static void watch(Place place, Runnable lost) {
    new ContentionWatch(place, lost).look();
  }

  private void plan(long delay) {
    if (!isSettled(place) && planned.compareAndSet(false, true)) {
      parts.context().scheduler().schedule(delay, this::look);
    }
  }

  private void look() {
    planned.set(false);
    if (isSettled(place)) {
      return;
    }
    place
        .session
        .children(parts.paths().of(place.resource), deleted -> changed())
        .whenComplete(
            (children, fault) -> {
              if (fault == null) {
                judge(children);
              } else if (ZooKeeperFaults.isMissing(fault)) {
                judge(Children.NONE);
              } else if (ZooKeeperFaults.mayPass(fault)) {
                plan(PAUSE_NANOS);
              } else {
                log.debug("{}: cannot be watched", place.resource, fault);
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
      parts.context().signals().contended(place.owner);
    }
  }

  /** In a lock whoever comes waits for the holder; readers may come and go beside each other. */
  private void changed() {
    long now = parts.now();
    long pause = Math.max(0, PAUSE_NANOS - (now - changedAt));
    changedAt = now;
    plan(place.resource.kind() == Resource.Kind.LOCK ? 0 : pause);
  }
}
