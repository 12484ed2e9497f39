package io.holdfast;

/**
 * Who gives way when threads of several processes wait for each other's locks. All managers that
 * share locks should have the same rule.
 *
 * <pre>{@code
 * LockManager.builder(url).deadlockVictim(DeadlockVictim.LAST_TO_WAIT).build();
 * }</pre>
 */
public enum DeadlockVictim {
  /** Nobody: the deadlock is only reported. The default. */
  NONE,
  /** Who began to wait last, by the clock of the store; it gets a {@link DeadlockException}. */
  LAST_TO_WAIT
}
