package io.holdfast.zookeeper.backend;

import io.holdfast.LockConfig;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.zookeeper.ZooKeeperBackendProvider;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.DataTree;

/** Classes that break the rules of the architecture, so that its test can show that it notices. */
public final class ArchitectureViolations {
  private ArchitectureViolations() {}

  /** A backend must know the SPI alone. */
  public record SeesTheApi(LockConfig config) {}

  /** A backend must not know its provider. */
  public record SeesTheShell(ZooKeeperBackendProvider provider) {}

  /** The jar of the client contains the server. */
  public record SeesTheServer(DataTree tree) {}

  /** Only Session sends requests. */
  public record SendsRequests(ZooKeeper zooKeeper) {}

  /** Only Session listens to nodes. */
  public record ListensToNodes(Watcher watcher) {}

  /** Only one class uses Curator. */
  public record KnowsCurator(CuratorZookeeperClient client) {}

  /** Internal classes of core may change at any time. */
  public record ReachesIntoCore(LockEngine engine) {}

  /** Time is injected. */
  public static final class ReadsMillis {
    final long time = System.currentTimeMillis();
  }

  /** Time is injected. */
  public static final class ReadsAnInstant {
    final Instant time = Instant.now();
  }

  /** Time is injected. */
  public static final class ReadsAClock {
    final long time = Clock.systemUTC().millis();
  }

  /** Time is injected. */
  @SuppressWarnings("JavaUtilDate")
  public static final class ReadsADate {
    final Date time = new Date();
  }
}
