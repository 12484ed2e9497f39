package io.holdfast.compat.program;

import org.apache.zookeeper.ZooKeeper;

/** Locks on ZooKeeper in an application that also uses ZooKeeper's client itself. */
public final class OwnCurator {
  private OwnCurator() {}

  /** The entry point. */
  public static void main(String[] urls) throws Exception {
    String servers = urls[0].substring("zookeeper://".length());
    ZooKeeper client = new ZooKeeper(servers, 60_000, event -> {});
    try {
      Consumer.await("a connection", () -> client.getState().isConnected());
      Consumer.lockOn(urls[0]);
    } finally {
      client.close();
    }
  }
}
