package io.holdfast.zookeeper;

import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A chroot of its own on the ZooKeeper server of this test run. */
public final class ZooKeeperEngineUnderTest implements EngineUnderTest {
  private final String place = "/contract-" + UUID.randomUUID();
  private final String root = place + "/holdfast";
  private final String servers;
  private final ZooKeeperNodes nodes;

  ZooKeeperEngineUnderTest() {
    this(ZooKeeperServer.shared());
  }

  public ZooKeeperEngineUnderTest(String servers) {
    this.servers = servers;
    this.nodes = ZooKeeperNodes.connect(servers);
  }

  @Override
  public LockManagerBuilder newManager() {
    return LockManager.builder("zookeeper://" + servers + place + Patience.LASTING);
  }

  @Override
  public Optional<String> urlForOtherProcesses() {
    String patient = "?sessionTimeout=600s&timeout=30s&connectTimeout=60s";
    return Optional.of("zookeeper://" + servers + place + patient);
  }

  /** Deletes the node of the holder; the waiters stay, as on every engine. */
  @Override
  public void removeByHand(String key) {
    nodes.children(root + "/" + key).stream()
        .min((a, b) -> number(a).compareTo(number(b)))
        .ifPresent(first -> nodes.deleteAll(root + "/" + key + "/" + first));
  }

  private static String number(String name) {
    return name.substring(name.lastIndexOf('~') + 1);
  }

  @Override
  public void forgetEverything() {
    nodes.deleteAll(root);
  }

  @Override
  public Collection<String> leftoversOf(String key) {
    List<String> leftovers = new ArrayList<>();
    for (String name : nodes.children(root)) {
      if (name.contains(key)) {
        List<String> inside = nodes.children(root + "/" + name);
        if (!inside.isEmpty() || !ZooKeeperServer.isExternal(servers)) {
          leftovers.add(name + " " + inside);
        }
      }
    }
    return leftovers;
  }

  /** A deleted node does not tell who its owner was. */
  @Override
  public boolean canTellWhetherAnybodyHadIt() {
    return false;
  }

  /** A node that is created anew gets a larger number and goes to the end of the line. */
  @Override
  public boolean knowsWhoCameFirst() {
    return false;
  }

  @Override
  public void close() {
    nodes.deleteAll(place);
    nodes.close();
  }
}
