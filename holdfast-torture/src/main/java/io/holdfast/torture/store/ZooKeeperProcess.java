package io.holdfast.torture.store;

import io.holdfast.testservers.ServerProcess;
import io.holdfast.torture.nemesis.JumpingClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One ZooKeeper server as ZooKeeper itself starts it, in a JVM of its own. */
final class ZooKeeperProcess implements TortureServer {
  private static final String TICK_MILLIS = "500";
  private static final int ANSWER_MILLIS = 1000;

  private final Path directory = ServerProcess.newDirectory("torture-zookeeper");
  private final Optional<JumpingClock> clock = JumpingClock.in(directory.resolve("server-clock"));
  private final int port = ServerProcess.freePort();
  private final int number;
  private final String peers; // host:port:port
  private final ServerProcess process;

  ZooKeeperProcess(int number) {
    this.number = number;
    this.peers = "127.0.0.1:" + ServerProcess.freePort() + ":" + ServerProcess.freePort();
    this.process =
        ServerProcess.of(
            "zookeeper",
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dzookeeper.4lw.commands.whitelist=*",
                "-Dzookeeper.admin.enableServer=false",
                "-Dznode.container.checkIntervalMs=200",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path"),
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                directory.resolve("zoo.cfg").toString()),
            directory,
            clock.map(JumpingClock::environment).orElse(Map.of()));
  }

  /** Writes the configuration; with others if there are any. */
  void configure(List<ZooKeeperProcess> all) {
    List<String> lines = new ArrayList<>();
    lines.add("tickTime=" + TICK_MILLIS);
    lines.add("initLimit=20");
    lines.add("syncLimit=6");
    lines.add("dataDir=" + directory.resolve("data"));
    lines.add("clientPort=" + port);
    lines.add("clientPortAddress=127.0.0.1");
    lines.add("maxSessionTimeout=60000");
    lines.add("maxClientCnxns=0");
    if (all.size() > 1) {
      all.forEach(each -> lines.add("server." + each.number + "=" + each.peers));
    }
    try {
      Files.createDirectories(directory.resolve("data"));
      Files.writeString(directory.resolve("data/myid"), Integer.toString(number));
      Files.write(directory.resolve("zoo.cfg"), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return port;
  }

  /** Starts it without waiting for others, which it may need. */
  void launch() {
    process.start(() -> true);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** True if it serves clients. */
  boolean serves() {
    return ask("srvr").stream().anyMatch(line -> line.startsWith("Mode:"));
  }

  boolean leads() {
    return ask("srvr").contains("Mode: leader");
  }

  /** Its answer to a command of four letters; nothing if it does not answer soon. */
  List<String> ask(String command) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MILLIS);
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public void kill() {
    process.kill();
  }

  @Override
  public void start() {
    process.start(this::serves);
  }

  @Override
  public void pause() {
    process.pause();
  }

  @Override
  public void resume() {
    process.resume();
  }

  @Override
  public Optional<JumpingClock> clock() {
    return clock;
  }

  void close() {
    process.close();
  }
}
