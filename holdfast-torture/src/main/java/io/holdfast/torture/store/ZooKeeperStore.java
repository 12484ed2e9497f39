package io.holdfast.torture.store;

import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.torture.nemesis.FaultKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** One ZooKeeper server, or several that replicate each other. */
final class ZooKeeperStore implements TortureStore, Failover {
  private static final Duration ELECTION = Duration.ofSeconds(60);
  private static final int ATTEMPTS = 10;
  private static final String ROOT = "/holdfast";

  private final List<ZooKeeperProcess> servers;
  private @Nullable ZooKeeperProcess lost;

  ZooKeeperStore(int size) {
    servers = IntStream.rangeClosed(1, size).mapToObj(ZooKeeperProcess::new).toList();
    servers.forEach(server -> server.configure(servers));
    servers.forEach(ZooKeeperProcess::launch);
    await();
  }

  /** Until all that run serve clients. */
  private void await() {
    long end = System.nanoTime() + ELECTION.toNanos();
    while (!servers.stream().filter(ZooKeeperProcess::isAlive).allMatch(ZooKeeperProcess::serves)) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("the ZooKeeper servers do not serve");
      }
      sleep();
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public String version() {
    String version =
        servers.get(0).ask("srvr").stream()
            .filter(line -> line.startsWith("Zookeeper version:"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip().split("-", -1)[0])
            .findFirst()
            .orElse("?");
    return "ZooKeeper " + version + (servers.size() > 1 ? ", three servers" : ", one server");
  }

  @Override
  public List<Integer> ports() {
    return servers.stream().map(ZooKeeperProcess::port).toList();
  }

  @Override
  public String url(List<Integer> ports) {
    return "zookeeper://" + addresses(ports) + "?sessionTimeout=4s&timeout=1s&connectTimeout=20s";
  }

  @Override
  public String registerUrl() {
    return "zookeeper://" + addresses(ports());
  }

  private static String addresses(List<Integer> ports) {
    return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
  }

  @Override
  public Set<FaultKind> faults() {
    Set<FaultKind> faults = EnumSet.allOf(FaultKind.class);
    faults.removeAll(Set.of(FaultKind.SERVER_EMPTY, FaultKind.SLOW));
    if (servers.size() == 1) {
      faults.remove(FaultKind.LEADER_LOSS);
    }
    return faults;
  }

  @Override
  public List<ZooKeeperProcess> servers() {
    return servers;
  }

  @Override
  public Optional<Failover> failover() {
    return servers.size() > 1 ? Optional.of(this) : Optional.empty();
  }

  @Override
  public void loseLeader() {
    ZooKeeperProcess leader =
        servers.stream().filter(ZooKeeperProcess::leads).findFirst().orElse(servers.get(0));
    leader.kill();
    lost = leader;
  }

  @Override
  public void restore() {
    ZooKeeperProcess killed = lost;
    lost = null;
    if (killed != null) {
      killed.start();
    }
  }

  @Override
  public boolean mayLoseWrites() {
    return false;
  }

  @Override
  public void wipe() {
    try (ZooKeeperNodes nodes = nodes()) {
      nodes.children(ROOT).forEach(key -> delete(nodes, key));
    }
  }

  @Override
  public void forget(String key) {
    try (ZooKeeperNodes nodes = nodes()) {
      delete(nodes, key);
    }
  }

  /** Clients go on making nodes meanwhile, and a node that has some cannot be deleted. */
  private static void delete(ZooKeeperNodes nodes, String key) {
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        nodes.deleteAll(ROOT + "/" + key);
        return;
      } catch (IllegalStateException e) {
        // once more
      }
    }
  }

  @Override
  public void slow(String key, Duration time) {
    throw new UnsupportedOperationException("ZooKeeper has no scripts");
  }

  /** The time of a change, which is that of the leader. */
  @Override
  public long wallClockMillis() {
    String path = "/clock";
    try (ZooKeeperNodes nodes = nodes()) {
      nodes.create(path);
      Stat created = nodes.stat(path);
      nodes.deleteAll(path);
      return created == null ? 0 : created.getCtime();
    }
  }

  @Override
  public int connections() {
    return servers.stream()
            .flatMap(server -> server.ask("mntr").stream())
            .filter(line -> line.startsWith("zk_num_alive_connections"))
            .mapToInt(line -> Integer.parseInt(line.substring(line.indexOf('\t') + 1).strip()))
            .sum()
        - servers.size(); // each counts the one that asks
  }

  @Override
  public List<String> leftovers() {
    try (ZooKeeperNodes nodes = nodes()) {
      return nodes.children(ROOT).stream()
          .flatMap(
              key ->
                  Stream.concat(
                      Stream.of(key),
                      nodes.children(ROOT + "/" + key).stream().map(child -> key + "/" + child)))
          .sorted()
          .toList();
    }
  }

  private ZooKeeperNodes nodes() {
    return ZooKeeperNodes.connect(addresses(ports()));
  }

  @Override
  public void close() {
    servers.forEach(ZooKeeperProcess::close);
  }
}
