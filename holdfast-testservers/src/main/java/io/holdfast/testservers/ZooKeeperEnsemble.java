package io.holdfast.testservers;

import io.holdfast.testkit.internal.Leftovers;
import io.holdfast.testkit.internal.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;

/**
 * Three ZooKeeper servers that replicate each other, in this JVM, on free ports of 127.0.0.1; any
 * one may be lost. Needs what {@link ZooKeeperServer} needs.
 */
public final class ZooKeeperEnsemble implements AutoCloseable {
  private static final int SIZE = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<InstanceSpec> specs;
  private final TestingCluster cluster;

  private ZooKeeperEnsemble() {
    ZooKeeperNodes.prepareJvm();
    specs = IntStream.range(0, SIZE).mapToObj(i -> ZooKeeperServer.newSpec()).toList();
    cluster = new TestingCluster(specs);
  }

  /** Starts three servers and waits until they have a leader. */
  public static ZooKeeperEnsemble start() {
    ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble();
    try {
      ensemble.cluster.start();
    } catch (Exception e) { // declared by Curator
      throw new IllegalStateException("the ZooKeeper servers do not start", e);
    }
    ensemble.awaitLeader();
    return ensemble;
  }

  /** {@code 127.0.0.1:port,127.0.0.1:port,127.0.0.1:port}. */
  public String servers() {
    return specs.stream().map(ZooKeeperEnsemble::address).collect(Collectors.joining(","));
  }

  /** {@code zookeeper://} with all servers. */
  public String url() {
    return "zookeeper://" + servers();
  }

  /** The ports of the servers. */
  public List<Integer> ports() {
    return specs.stream().map(InstanceSpec::getPort).toList();
  }

  private static String address(InstanceSpec spec) {
    return "127.0.0.1:" + spec.getPort();
  }

  /** The port of the leader, once there is one. */
  public int awaitLeader() {
    int[] found = {0};
    boolean elected =
        Waiting.until(
            () -> {
              leader().ifPresent(spec -> found[0] = spec.getPort());
              return found[0] != 0;
            },
            PATIENCE);
    if (!elected) {
      throw new IllegalStateException("the ZooKeeper servers have elected no leader");
    }
    return found[0];
  }

  private Optional<InstanceSpec> leader() {
    return specs.stream()
        .filter(
            spec ->
                ZooKeeperNodes.ask("127.0.0.1", spec.getPort(), "srvr").contains("Mode: leader"))
        .findFirst();
  }

  /**
   * Stops a server.
   *
   * @param port which
   */
  public void kill(int port) {
    try {
      cluster.killServer(at(port));
    } catch (Exception e) { // declared by Curator
      throw new IllegalStateException("the server does not stop", e);
    }
  }

  /**
   * Starts a server that was stopped.
   *
   * @param port which
   */
  public void restart(int port) {
    try {
      cluster.restartServer(at(port));
    } catch (Exception e) { // declared by Curator
      throw new IllegalStateException("the server does not start", e);
    }
  }

  private InstanceSpec at(int port) {
    return specs.stream().filter(spec -> spec.getPort() == port).findFirst().orElseThrow();
  }

  @Override
  public void close() {
    try {
      cluster.close();
    } catch (Exception e) { // declared by Curator
      throw new IllegalStateException("the ZooKeeper servers do not stop", e);
    }
    specs.forEach(spec -> Leftovers.remove(spec.getDataDirectory().toPath()));
  }
}
