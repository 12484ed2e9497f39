package io.holdfast.bench.store;

import io.holdfast.testkit.ParentProcess;
import java.sql.SQLException;
import org.h2.tools.Server;

/** The main class of a process that is an H2 server. */
final class H2Main {
  private H2Main() {}

  /** Takes nothing. */
  public static void main(String[] args) throws SQLException, InterruptedException {
    ParentProcess parent = ParentProcess.connect();
    Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    parent.tell(JvmServer.READY + server.getPort());
    parent.await("END");
  }
}
