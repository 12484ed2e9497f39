package io.holdfast.compat.program;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Locks on ZooKeeper in an application that also uses Curator and one of its recipes itself. */
public final class OwnCurator {
  private OwnCurator() {}

  /** The entry point. */
  public static void main(String[] urls) throws Exception {
    RunningThreads before = RunningThreads.now();
    String servers = urls[0].replaceAll("^zookeeper://|[?].*", "");
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(servers, new ExponentialBackoffRetry(1_000, 5))) {
      client.start();
      InterProcessMutex own = new InterProcessMutex(client, "/own-curator-" + UUID.randomUUID());
      Consumer.check(own.acquire(60, TimeUnit.SECONDS), "a lock of Curator's");
      Consumer.lockOn(urls[0]);
      own.release();
    }
    before.awaitEndOfOthers();
  }
}
