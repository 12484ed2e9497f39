package io.holdfast;

import java.util.Set;

/**
 * What the watchdog may do about what it finds. Whatever it does, and whether it worked, is logged,
 * counted and sent as an event; what it may not do it only reports.
 *
 * <pre>{@code
 * LockConfig.builder().recoveryStrategy(RecoveryStrategy.of(Action.RESTART_RENEWAL, Action.REACQUIRE))
 * }</pre>
 *
 * @param actions what is allowed
 */
public record RecoveryStrategy(Set<Action> actions) {
  /** What can be done. */
  public enum Action {
    /** Renews a lock whose renewal is overdue, again and at once. */
    RESTART_RENEWAL,
    /**
     * Releases what a thread holds that has ended without {@code unlock()}, if it is renewed: it
     * would be held for as long as the process lives. See {@link #RELEASE_LEASED}.
     */
    RELEASE,
    /**
     * The same for a hold with a lease of its own, as {@code lock(60, SECONDS)} takes it. It ends
     * by itself, and not to unlock it may be what is meant: nobody else is to have the lock for a
     * minute. Without this such a thread is only reported.
     */
    RELEASE_LEASED,
    /**
     * Takes a lock back that has vanished from the store, if nobody has held it in between, which
     * the fencing tokens tell. The holder is told; its token stays. Otherwise the lock is lost.
     */
    REACQUIRE
  }

  /** Reports and changes nothing. */
  public static final RecoveryStrategy NOTIFY_ONLY = of();

  /**
   * The default: renewals are restarted, and locks that are renewed for threads that have ended are
   * released.
   */
  public static final RecoveryStrategy STANDARD = of(Action.RESTART_RENEWAL, Action.RELEASE);

  /** Everything. */
  public static final RecoveryStrategy ALL = of(Action.values());

  /** Copies the set. */
  public RecoveryStrategy {
    actions = Set.copyOf(actions);
  }

  /** These actions and no others. */
  public static RecoveryStrategy of(Action... actions) {
    return new RecoveryStrategy(Set.of(actions));
  }

  /** True if it may be done. */
  public boolean allows(Action action) {
    return actions.contains(action);
  }
}
