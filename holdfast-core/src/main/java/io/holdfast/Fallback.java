package io.holdfast;

/**
 * What to do when a lock is asked for and the store cannot be reached. The default is to fail. A
 * process-local lock keeps the threads of this process apart and nobody else: choose it only where
 * a job that runs twice is better than one that does not run. {@link Lease#isDegraded()} tells
 * which kind a grant is. Every new attempt asks the store first, so all is as usual again when it
 * is back.
 *
 * <pre>{@code
 * LockConfig.builder()
 *     .fallback((key, cause) -> key.startsWith("cache:") ? Decision.PROCESS_LOCAL : Decision.FAIL)
 *     .storeTimeout(Duration.ofSeconds(2))
 * }</pre>
 */
@FunctionalInterface
public interface Fallback {
  /** What can be done. */
  enum Decision {
    /** Throw the exception. */
    FAIL,
    /** Grant a lock that counts in this process alone. */
    PROCESS_LOCAL
  }

  /** Always fails: the default. */
  Fallback FAIL = (key, cause) -> Decision.FAIL;

  /** Always grants a process-local lock. */
  Fallback PROCESS_LOCAL = (key, cause) -> Decision.PROCESS_LOCAL;

  /**
   * Decides for one request. Must not block. An exception it throws goes to the caller of the lock.
   *
   * @param key the lock
   * @param cause what the caller would get
   */
  Decision decide(String key, StoreUnavailableException cause);
}
