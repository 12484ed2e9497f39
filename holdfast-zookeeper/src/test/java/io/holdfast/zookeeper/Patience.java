package io.holdfast.zookeeper;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Limits that only a broken property reaches, however busy the machine is. */
public final class Patience {
  /** For what must happen. */
  public static final Duration LIMIT = Duration.ofSeconds(60);

  /**
   * Options of a URL for a session that outlasts the pauses of a busy machine, and for requests
   * that are answered. A default lease, of 30 s, lasts as long as such a session is sure to live.
   */
  public static final String LASTING = "?sessionTimeout=60s&timeout=30s&connectTimeout=60s";

  private Patience() {}

  public static ConditionFactory eventually() {
    return Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(10));
  }
}
