package io.holdfast.bench.store;

import io.holdfast.testkit.ParentProcess;
import java.io.File;
import org.apache.curator.test.TestingServer;

/** The main class of a process that is a ZooKeeper server. */
final class ZooKeeperMain {
  private ZooKeeperMain() {}

  /** Takes the folder for the data. */
  public static void main(String[] args) throws Exception {
    System.setProperty("zookeeper.4lw.commands.whitelist", "*");
    ParentProcess parent = ParentProcess.connect();
    TestingServer server = new TestingServer(-1, new File(args[0]), true);
    parent.tell(JvmServer.READY + server.getPort());
    parent.await("END");
  }
}
