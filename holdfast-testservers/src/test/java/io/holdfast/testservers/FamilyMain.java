package io.holdfast.testservers;

import io.holdfast.testkit.ChildJvm;
import io.holdfast.testkit.ParentProcess;
import java.time.Duration;

/** A child with a paused Redis server and a paused child of its own, {@link ListeningMain}. */
final class FamilyMain {
  private FamilyMain() {}

  public static void main(String[] args) throws InterruptedException {
    ParentProcess parent = ParentProcess.connect();
    RedisServer redis = RedisServer.builder().start();
    String directory;
    try (RespClient client = redis.client()) {
      directory = String.valueOf(client.list("CONFIG", "GET", "dir").get(1));
    }
    ChildJvm child = ChildJvm.start(ListeningMain.class);
    String port = child.readLine(Duration.ofSeconds(30));
    redis.pause();
    child.pause();
    parent.tell("ports " + redis.port() + " " + port);
    parent.tell("directory " + directory);
    parent.await("exit");
    System.exit(0);
  }
}
