package io.holdfast.zookeeper;

import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;

/** A server and a client with SASL; prints the outcome. */
final class SaslProcess {
  private SaslProcess() {}

  public static void main(String[] args) {
    ChildJvm.exitWhenParentDies();
    try (ZooKeeperServer server = ZooKeeperServer.start()) {
      String url = server.url() + "?sasl=" + args[0] + "&connectTimeout=60s";
      try (LockManager manager = LockManager.create(url);
          ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
        manager.getLock("k").lock();
        System.out.println("result locked, " + (isHidden(nodes) ? "hidden" : "seen by others"));
        manager.getLock("k").unlock();
      } catch (RuntimeException e) {
        System.out.println("result refused: " + e.getMessage());
      }
    }
    System.exit(0);
  }

  private static boolean isHidden(ZooKeeperNodes nodes) {
    try {
      nodes.children("/holdfast/k");
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }
}
