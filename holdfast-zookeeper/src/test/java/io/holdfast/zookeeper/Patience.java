package io.holdfast.zookeeper;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Time limits that are exceeded only if a property is broken, however busy the machine is. */
public final class Patience {
  /** The limit for an event that must happen. */
  public static final Duration LIMIT = Duration.ofSeconds(60);

  /**
   * URL options for a session that outlasts the pauses of a busy machine, and for requests that are
   * answered. The default lease of 30 s lasts as long as such a session is sure to live.
   */
  public static final String LASTING = "?sessionTimeout=60s&timeout=30s&connectTimeout=60s";

  private Patience() {}

  public static ConditionFactory eventually() {
    return Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(10));
  }
}
