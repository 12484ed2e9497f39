package io.holdfast;

import java.time.Duration;
import java.time.Instant;

/**
 * Something that happened to a lock in this process.
 *
 * <pre>{@code
 * manager.addListener(
 *     event -> {
 *       if (event.kind() == LockEvent.Kind.LOST) {
 *         log.error("{}: {}", event.key(), event.detail());
 *       }
 *     });
 * }</pre>
 *
 * @param kind what
 * @param key the lock
 * @param owner owner id in the store
 * @param token fencing token, 0 when there is none yet
 * @param thread the thread concerned
 * @param at when
 * @param duration how long it waited ({@code ACQUIRED}, {@code PASSED}, {@code WAITING_LONG},
 *     {@code GAVE_UP}), held ({@code RELEASED}, {@code LOST}, {@code HELD_LONG}), or zero
 * @param detail more for people; may be empty
 */
public record LockEvent(
    Kind kind,
    String key,
    String owner,
    long token,
    String thread,
    Instant at,
    Duration duration,
    String detail) {

  /** What can happen. */
  public enum Kind {
    /** A hold began. */
    ACQUIRED,
    /** A wait at a latch ended because it is open. */
    PASSED,
    /** A hold ended as it should. */
    RELEASED,
    /** The lease was extended. */
    RENEWED,
    /** The store did not answer a renewal; it is tried again. */
    RENEWAL_FAILED,
    /** The lock was lost while it was held. */
    LOST,
    /** The lock had vanished from the store and was taken back before anybody else had it. */
    RESUMED,
    /** A caller waits for longer than {@link LockConfig#waitAlert()}; says who holds the lock. */
    WAITING_LONG,
    /** The lock is held for longer than {@link LockConfig#holdAlert()}; says who waits. */
    HELD_LONG,
    /** The store could not be reached, and a process-local lock was granted instead. */
    DEGRADED,
    /** The store granted a lock again, the first after process-local ones. */
    NORMAL_AGAIN,
    /** The watchdog found something; an {@link #ALERT} may follow. */
    FINDING,
    /** Something the watchdog found needs the attention of people. */
    ALERT,
    /** The watchdog put something right. */
    RECOVERED,
    /** The watchdog tried to put something right and could not. */
    RECOVERY_FAILED,
    /** A caller went without: time-out, interrupt, cancellation, tries used up, or a fault. */
    GAVE_UP,
    /** The store did not answer a release; it is tried again in the background. */
    RELEASE_FAILED,
    /** The lock or latch was forced open from this process. */
    FORCED
  }
}
