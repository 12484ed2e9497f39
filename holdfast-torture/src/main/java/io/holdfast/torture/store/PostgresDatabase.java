package io.holdfast.torture.store;

import io.holdfast.testservers.PostgresServer;
import io.holdfast.testservers.ServerProcess;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.nemesis.JumpingClock;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * PostgreSQL. A library makes its files and starts it once, which shows how it is started; from
 * then on we start it ourselves, so that it can be killed with all its processes. A commit is
 * answered when the operating system has it: that survives the death of the server, and the machine
 * is not killed here.
 */
final class PostgresDatabase implements Database {
  private final Path logs = ServerProcess.newDirectory("torture-postgres");
  private final Optional<JumpingClock> clock = JumpingClock.in(logs.resolve("server-clock"));
  private final PostgresServer files;
  private final int port;
  private final ServerProcess process;
  private final DatabaseServer server;

  PostgresDatabase() {
    files = PostgresServer.start(Map.of("synchronous_commit", "on", "max_connections", "200"));
    port = files.port();
    ProcessHandle first = files.process();
    process =
        ServerProcess.like(
            "postgres",
            first,
            // It refuses to run as root; in a name space of its own it is nobody.
            System.getProperty("user.name").equals("root") ? List.of("unshare", "-U") : List.of(),
            logs,
            clock.map(JumpingClock::environment).orElse(Map.of()));
    server = new DatabaseServer(process, urlAt(port), clock);
    files.stop();
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
    return "jdbc:postgresql://127.0.0.1:" + from + "/postgres?user=postgres&loginTimeout=2";
  }

  @Override
  public Set<FaultKind> faults() {
    return EnumSet.complementOf(EnumSet.of(FaultKind.LEADER_LOSS, FaultKind.SERVER_EMPTY));
  }

  @Override
  public String connections() {
    return "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
  }

  @Override
  public String micros() {
    return "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)";
  }

  @Override
  public void close() {
    process.close();
    files.close();
  }
}
