package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.LockManager;
import io.holdfast.testservers.ZooKeeperServer;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A class that cannot be loaded stands for any {@link Error} while connecting. */
@Isolated
@Timeout(240)
class ZooKeeperBrokenClassPathTest {
  private static final String NOTHING = "";

  private final ZooKeeperServer server = ZooKeeperServer.start();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aFreshClassLoaderWorks() throws Exception {
    assertThat(faultWithout(NOTHING, Patience.LASTING)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.curator.CuratorZookeeperClient",
        "org.apache.zookeeper.ZooKeeper",
        "org.apache.zookeeper.ClientCnxn", // on the calling thread, in Curator
        "io.holdfast.zookeeper.backend.ConnectFaults",
        "org.apache.zookeeper.proto.ConnectRequest", // on the thread of the connection
        "io.holdfast.zookeeper.backend.Fence",
        "org.apache.zookeeper.data.Stat" // after the session has begun
      })
  void anErrorWhileConnectingIsReportedAndLeavesNoThread(String missing) throws Exception {
    assertThat(faultWithout(missing, "?sessionTimeout=6s&timeout=2s&connectTimeout=2s"))
        .isNotNull();
  }

  /** The fault of connecting and locking, null if none; asserts that no thread is left. */
  private Throwable faultWithout(String missing, String options) throws Exception {
    Set<Thread> before = ownThreads();
    try (BrokenClassPath path = new BrokenClassPath(missing)) {
      Throwable fault = catchThrowable(() -> lockOnce(path, server.url() + options));
      Patience.eventually().untilAsserted(() -> assertThat(before).containsAll(ownThreads()));
      return fault;
    }
  }

  private static void lockOnce(BrokenClassPath path, String url)
      throws ReflectiveOperationException {
    try (LockManager manager = LockManager.builder(url).engine(path.provider()).build()) {
      manager.getLock("broken class path").lock();
      manager.getLock("broken class path").unlock();
    }
  }

  /** The threads of Holdfast and of ZooKeeper's client. */
  private static Set<Thread> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            thread ->
                thread.getName().matches("holdfast-.*|Curator-.*|.*-SendThread.*|.*-EventThread.*"))
        .collect(Collectors.toSet());
  }
}
