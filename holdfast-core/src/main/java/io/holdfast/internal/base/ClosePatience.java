package io.holdfast.internal.base;

import java.time.Duration;

/**
 * How long the close of a manager waits for the store, and the exit of the JVM for that close. The
 * property is for tests that prove what a process leaves behind on a starved machine. It is read
 * once and is no part of the API.
 */
public final class ClosePatience {
  private static final long SECONDS = Long.getLong("holdfast.internal.closeSeconds", 3);

  /** For every lock to be given back. */
  public static final Duration CLOSE = Duration.ofSeconds(SECONDS);

  /** For all managers to be closed, with room for what follows the locks. */
  public static final Duration EXIT = CLOSE.plusSeconds(2);

  private ClosePatience() {}
}
