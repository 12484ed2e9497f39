package io.holdfast.bench.fault;

import io.holdfast.testservers.MariaDbServer;
import io.holdfast.testservers.PostgresServer;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import io.holdfast.testservers.ZooKeeperEnsemble;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.h2.tools.Server;

/** The stores that a {@link StoreHostMain} can host, one class each. */
final class HostedStores {
  private HostedStores() {}

  static HostedStore start(FaultEngine engine, Path place) throws SQLException {
    return switch (engine) {
      case REDIS -> new Redis();
      case ZOOKEEPER -> new OneZooKeeper();
      case ENSEMBLE -> new ThreeZooKeepers();
      case POSTGRESQL -> new Postgres();
      case MARIADB -> new MariaDb();
      case H2 -> new H2(place);
      case SQLITE -> new Sqlite(place);
    };
  }

  /** Every write is on disk before it is answered. */
  private static final class Redis implements HostedStore {
    private final RedisServer server = RedisServer.builder().persistent().start();

    @Override
    public List<Integer> ports() {
      return List.of(server.port());
    }

    @Override
    public void start() {
      server.start();
    }

    @Override
    public void stop() {
      server.stop();
    }

    @Override
    public List<Long> processes() {
      return ProcessHandle.current()
          .descendants()
          .filter(each -> each.info().command().orElse("").contains("redis-"))
          .map(ProcessHandle::pid)
          .toList();
    }

    @Override
    public void delete(String key) {
      try (RespClient client = server.client()) {
        client.call("DEL", key);
      }
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private static final class OneZooKeeper implements HostedStore {
    private final ZooKeeperServer server = ZooKeeperServer.start();

    @Override
    public List<Integer> ports() {
      return List.of(server.port());
    }

    @Override
    public void start() {
      server.restart();
    }

    @Override
    public void stop() {
      server.stop();
    }

    @Override
    public List<Long> processes() {
      return List.of(ProcessHandle.current().pid());
    }

    @Override
    public void delete(String key) {
      deleteFirst(server.servers(), key);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** Three servers in one process. */
  private static final class ThreeZooKeepers implements HostedStore {
    private final ZooKeeperEnsemble servers = ZooKeeperEnsemble.start();
    private int formerLeader;

    @Override
    public List<Integer> ports() {
      return servers.ports();
    }

    @Override
    public void start() {
      servers.ports().forEach(servers::restart);
      servers.awaitLeader();
    }

    @Override
    public void stop() {
      servers.ports().forEach(servers::kill);
    }

    @Override
    public List<Long> processes() {
      return List.of(ProcessHandle.current().pid());
    }

    @Override
    public void delete(String key) {
      deleteFirst(servers.servers(), key);
    }

    @Override
    public void stopLeader() {
      formerLeader = servers.awaitLeader();
      servers.kill(formerLeader);
    }

    @Override
    public void startFormerLeader() {
      servers.restart(formerLeader);
    }

    @Override
    public void close() {
      servers.close();
    }
  }

  /** The node that is first in line is the holder's. */
  private static void deleteFirst(String servers, String key) {
    String line = "/holdfast/" + key;
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(servers)) {
      nodes.children(line).stream()
          .min(Comparator.comparing(name -> name.substring(name.lastIndexOf('~') + 1)))
          .ifPresent(first -> nodes.deleteAll(line + "/" + first));
    }
  }

  private static final class Postgres implements HostedStore {
    private final PostgresServer server = PostgresServer.start(Map.of());

    @Override
    public List<Integer> ports() {
      return List.of(server.port());
    }

    @Override
    public void start() {
      server.start();
    }

    @Override
    public void stop() {
      server.stop();
    }

    /** The one that listens first, so that nobody new comes while the others are halted. */
    @Override
    public List<Long> processes() {
      ProcessHandle first = server.process();
      return Stream.concat(Stream.of(first), first.descendants()).map(ProcessHandle::pid).toList();
    }

    @Override
    public void delete(String key) throws SQLException {
      deleteRow(server.url(), key);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private static final class MariaDb implements HostedStore {
    private final MariaDbServer server = MariaDbServer.startNew();

    @Override
    public List<Integer> ports() {
      return List.of(server.port());
    }

    @Override
    public void start() {
      server.start();
    }

    @Override
    public void stop() {
      server.stop();
    }

    @Override
    public List<Long> processes() {
      return List.of(server.process().pid());
    }

    @Override
    public void delete(String key) throws SQLException {
      deleteRow(server.url(), key);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A server with its data in files. */
  private static final class H2 implements HostedStore {
    private final Path folder;
    private Server server;

    H2(Path folder) throws SQLException {
      this.folder = folder;
      this.server = launch("0");
    }

    private Server launch(String port) throws SQLException {
      return Server.createTcpServer("-tcpPort", port, "-ifNotExists", "-baseDir", folder.toString())
          .start();
    }

    @Override
    public List<Integer> ports() {
      return List.of(server.getPort());
    }

    @Override
    public void start() throws SQLException {
      server = launch(Integer.toString(server.getPort()));
    }

    @Override
    public void stop() {
      server.stop();
    }

    @Override
    public List<Long> processes() {
      return List.of(ProcessHandle.current().pid());
    }

    @Override
    public void delete(String key) throws SQLException {
      deleteRow("jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/./locks", key);
    }

    @Override
    public void close() {
      server.stop();
    }
  }

  private record Sqlite(Path place) implements HostedStore {
    @Override
    public List<Integer> ports() {
      return List.of();
    }

    @Override
    public void start() {}

    @Override
    public void stop() {}

    @Override
    public List<Long> processes() {
      return List.of();
    }

    @Override
    public void delete(String key) throws SQLException {
      deleteRow("jdbc:sqlite:" + place + "?busy_timeout=5000", key);
    }

    @Override
    public void close() {}
  }

  private static void deleteRow(String url, String key) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement statement =
            connection.prepareStatement("DELETE FROM holdfast_lock WHERE name = ?")) {
      statement.setString(1, key);
      if (statement.executeUpdate() != 1) {
        throw new SQLException("there is no row for " + key);
      }
    }
  }
}
