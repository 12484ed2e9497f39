package io.holdfast.bench.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One ZooKeeper server; every change is forced to disk, as is its default. */
final class ZooKeeperStoreServer implements StoreServer {
  private final JvmServer server;

  ZooKeeperStoreServer(StoreEnvironment environment) {
    this.server =
        new JvmServer(
            environment,
            ZooKeeperMain.class,
            List.of("org.apache.curator:curator-test"),
            environment.directory().resolve("zookeeper").toString());
  }

  @Override
  public String description() {
    String version = report().getOrDefault("zk_version", "?");
    return "ZooKeeper " + version.split("-", -1)[0] + ", one server, synced to disk";
  }

  @Override
  public String url() {
    return urlAt(port());
  }

  @Override
  public int port() {
    return server.port();
  }

  @Override
  public String urlAt(int port) {
    return "zookeeper://127.0.0.1:" + port;
  }

  @Override
  public Traffic traffic() {
    long packets = Long.parseLong(report().getOrDefault("zk_packets_received", "0"));
    return new Traffic(Map.of("requests", packets), -1);
  }

  @Override
  public int connections() {
    return Integer.parseInt(report().getOrDefault("zk_num_alive_connections", "1")) - 1;
  }

  @Override
  public long cpuNanos() {
    return server.cpuNanos();
  }

  private Map<String, String> report() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      Map<String, String> values = new LinkedHashMap<>();
      answer
          .lines()
          .map(line -> line.split("\t", 2))
          .filter(parts -> parts.length == 2)
          .forEach(parts -> values.put(parts[0], parts[1]));
      return values;
    } catch (IOException e) {
      throw new UncheckedIOException("ZooKeeper does not answer", e);
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
