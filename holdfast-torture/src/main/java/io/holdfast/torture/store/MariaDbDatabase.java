package io.holdfast.torture.store;

import io.holdfast.testservers.MariaDbServer;
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
 * MariaDB. A library makes its files and starts it once, which shows how it is started; from then
 * on we start it ourselves. A commit is answered when the operating system has it: that survives
 * the death of the server, and the machine is not killed here.
 */
final class MariaDbDatabase implements Database {
  private final Path logs = ServerProcess.newDirectory("torture-mariadb");
  private final Optional<JumpingClock> clock = JumpingClock.in(logs.resolve("server-clock"));
  private final int port;
  private final ServerProcess process;
  private final DatabaseServer server;

  MariaDbDatabase() {
    MariaDbServer files = MariaDbServer.startNew("--innodb-flush-log-at-trx-commit=2");
    port = files.port();
    process =
        ServerProcess.like(
            "mariadb",
            files.process(),
            List.of(),
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
    return "jdbc:mariadb://127.0.0.1:" + from + "/test?user=root&connectTimeout=2000";
  }

  @Override
  public Set<FaultKind> faults() {
    return EnumSet.complementOf(EnumSet.of(FaultKind.LEADER_LOSS, FaultKind.SERVER_EMPTY));
  }

  @Override
  public String connections() {
    return "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE COMMAND <> 'Daemon'";
  }

  @Override
  public String micros() {
    return "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)))";
  }

  @Override
  public void close() {
    process.close();
  }
}
