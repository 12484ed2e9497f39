package io.holdfast.torture.store;

import io.holdfast.testservers.ServerProcess;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.nemesis.JumpingClock;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** H2 as a server of its own, with a file that is written before a commit is answered. */
final class H2Database implements Database {
  private final Path directory = ServerProcess.newDirectory("torture-h2");
  private final int port = ServerProcess.freePort();
  private final Optional<JumpingClock> clock = JumpingClock.in(directory.resolve("server-clock"));
  private final ServerProcess process =
      ServerProcess.of(
          "h2",
          List.of(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-Xmx128m",
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-cp",
              System.getProperty("java.class.path"),
              "org.h2.tools.Server",
              "-tcp",
              "-tcpPort",
              Integer.toString(port),
              "-ifNotExists",
              "-baseDir",
              directory.toString()),
          directory,
          clock.map(JumpingClock::environment).orElse(Map.of()));
  private final DatabaseServer server = new DatabaseServer(process, urlAt(port), clock);

  H2Database() {
    server.start();
  }

  @Override
  public List<TortureServer> servers() {
    return List.of(server);
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public String urlAt(int from) {
    return "jdbc:h2:tcp://127.0.0.1:" + from + "/./locks;WRITE_DELAY=0;DB_CLOSE_DELAY=-1";
  }

  @Override
  public String separator() {
    return ";";
  }

  @Override
  public Set<FaultKind> faults() {
    return EnumSet.complementOf(EnumSet.of(FaultKind.LEADER_LOSS, FaultKind.SERVER_EMPTY));
  }

  @Override
  public String connections() {
    return "SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS";
  }

  @Override
  public String micros() {
    return "(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000)";
  }

  @Override
  public void close() {
    process.close();
  }
}
