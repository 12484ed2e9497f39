package io.holdfast;

import java.time.Instant;

/**
 * Something the watchdog found that is not as it should be.
 *
 * <pre>{@code
 * for (Finding finding : manager.health().findings()) {
 *   log.warn("{}", finding);     // LOCK_GONE 'stock:42', thread 'http-7', token 17: ...
 * }
 * }</pre>
 *
 * @param kind what
 * @param key the lock, empty for what concerns the store as a whole
 * @param owner owner id in the store, or empty
 * @param token fencing token of the hold, or 0
 * @param thread the thread concerned, or empty
 * @param at when it was found
 * @param evidence what was seen, for people
 */
public record Finding(
    Kind kind, String key, String owner, long token, String thread, Instant at, String evidence) {

  /** The checks of the watchdog. */
  public enum Check {
    /** Is every held lock renewed in time? */
    RENEWAL,
    /** Does the store still know every held lock as ours? */
    LOCK_STATE,
    /** Is the thread that holds a lock alive and getting on? */
    HOLDER_THREAD,
    /** Does the store answer, and how fast? */
    CONNECTION,
    /** Does anybody wait for too long, or for ever? */
    WAITING
  }

  /** How bad it is. */
  public enum Severity {
    /** Something to look at. */
    WARNING,
    /** A lock does not do what its holder believes, or somebody cannot go on. */
    CRITICAL
  }

  /** What can be found. */
  public enum Kind {
    /** A lock was not renewed when it should have been. */
    RENEWAL_LATE(Check.RENEWAL, Severity.WARNING, true),
    /** The store does not know a held lock as ours. */
    LOCK_GONE(Check.LOCK_STATE, Severity.CRITICAL, false),
    /** The holding thread ended without unlocking. */
    THREAD_ENDED(Check.HOLDER_THREAD, Severity.CRITICAL, false),
    /** The holding thread is in a deadlock with other threads of its process. */
    THREAD_DEADLOCKED(Check.HOLDER_THREAD, Severity.CRITICAL, false),
    /** The holding thread has not run for longer than {@link LockConfig#blockedAlert()}. */
    THREAD_BLOCKED(Check.HOLDER_THREAD, Severity.WARNING, true),
    /** A lock is held for longer than {@link LockConfig#holdAlert()}. */
    HELD_LONG(Check.HOLDER_THREAD, Severity.WARNING, false),
    /** The store does not answer. */
    STORE_UNREACHABLE(Check.CONNECTION, Severity.CRITICAL, true),
    /** The store answers slowly. */
    STORE_SLOW(Check.CONNECTION, Severity.WARNING, true),
    /**
     * The store answers, but its messages do not reach this process: waiters learn of their grants
     * by looking themselves.
     */
    MESSAGES_LOST(Check.CONNECTION, Severity.CRITICAL, true),
    /** Somebody waits for longer than {@link LockConfig#waitAlert()}. */
    WAITING_LONG(Check.WAITING, Severity.WARNING, false),
    /** Threads of several processes wait for each other's locks. */
    DEADLOCK(Check.WAITING, Severity.CRITICAL, false);

    private final Check check;
    private final Severity severity;
    private final boolean mayPass;

    Kind(Check check, Severity severity, boolean mayPass) {
      this.check = check;
      this.severity = severity;
      this.mayPass = mayPass;
    }

    /** Which check finds it. */
    public Check check() {
      return check;
    }

    /** How bad it is. */
    public Severity severity() {
      return severity;
    }

    /**
     * True if it often passes by itself: then it is an alert only after {@link
     * LockConfig#alertThreshold()} checks in a row, else at once.
     */
    public boolean mayPass() {
      return mayPass;
    }
  }

  /** How bad it is. */
  public Severity severity() {
    return kind.severity();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(kind.toString());
    if (!key.isEmpty()) {
      text.append(" '").append(key).append('\'');
    }
    if (!thread.isEmpty()) {
      text.append(", thread '").append(thread).append('\'');
    }
    if (token != 0) {
      text.append(", token ").append(token);
    }
    return text.append(": ").append(evidence).toString();
  }
}
