package io.holdfast.torture.store;

import io.holdfast.testservers.ServerProcess;
import io.holdfast.torture.nemesis.JumpingClock;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;

/** The server process of a database; it is up when one can log in. */
record DatabaseServer(ServerProcess process, String url, Optional<JumpingClock> clock)
    implements TortureServer {
  @Override
  public void kill() {
    process.kill();
  }

  @Override
  public void start() {
    process.start(this::answers);
  }

  @Override
  public void pause() {
    process.pause();
  }

  @Override
  public void resume() {
    process.resume();
  }

  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(url)) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }
}
