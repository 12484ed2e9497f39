package io.holdfast.cli;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testservers.RedisServer;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * Does once what commands do, so that the classes they need are loaded: the launcher lets the JVM
 * write them into an archive when this ends, and later starts are faster by that.
 */
public final class Training {
  private Training() {}

  /** Takes no arguments and says nothing. */
  public static void main(String[] args) {
    Holdfast.commandLine(new PrintWriter(Writer.nullWriter())).execute("--help");
    try (RedisServer server = RedisServer.builder().start();
        LockManager manager = LockManager.create(server.url());
        LockManager other = LockManager.create(server.url())) {
      DistributedLock lock = manager.getLock("training");
      lock.lock();
      lock.info();
      other.getLock("training").tryLock();
      lock.unlock();
    }
    System.exit(0);
  }
}
