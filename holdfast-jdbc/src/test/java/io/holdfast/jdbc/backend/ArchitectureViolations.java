package io.holdfast.jdbc.backend;

import io.holdfast.LockManager;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;

/** Classes that each break one rule, to show that the rule fires. */
public final class ArchitectureViolations {
  private ArchitectureViolations() {}

  /** A backend that uses the public API. */
  public static final class SeesTheApi {
    LockManager open(String url) {
      return LockManager.create(url);
    }
  }

  /** Another class that uses a driver. */
  public static final class KnowsADriver {
    boolean is(Object connection) {
      return connection instanceof org.postgresql.PGConnection;
    }
  }

  /** Uses another engine. */
  public static final class ReachesIntoCore {
    MemoryStore make() {
      return new MemoryStore(TimeSource.system());
    }
  }

  /** Reads the wall clock. */
  public static final class ReadsMillis {
    long read() {
      return System.currentTimeMillis();
    }
  }

  /** Reads the wall clock in another way. */
  public static final class ReadsAnInstant {
    Instant read() {
      return Instant.now();
    }
  }

  /** Interrupts threads that may be inside a driver. */
  public static final class Interrupts {
    List<Runnable> stop(ExecutorService executor) {
      return executor.shutdownNow();
    }
  }
}
