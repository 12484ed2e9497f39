package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testservers.MariaDbServer;
import io.holdfast.testservers.PostgresServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each cause of an unusable database has its own message and advice. */
@Timeout(300)
class JdbcConnectFaultsTest {
  private static final String SECRET = "s3cr3t";

  private static AbstractThrowableAssert<?, ? extends Throwable> assertUnavailable(String url) {
    return assertThatThrownBy(() -> LockManager.create(url))
        .isExactlyInstanceOf(StoreUnavailableException.class)
        .satisfies(e -> assertThat(Throwables.getStackTrace(e)).doesNotContain(SECRET));
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(String url) {
    return assertThatThrownBy(() -> LockManager.create(url))
        .isExactlyInstanceOf(StoreException.class)
        .satisfies(e -> assertThat(Throwables.getStackTrace(e)).doesNotContain(SECRET));
  }

  // ---- unreachable servers

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://no-such-host.invalid/x?user=u&password=" + SECRET,
        "jdbc:mariadb://no-such-host.invalid/x?user=u&password=" + SECRET,
        "jdbc:h2:tcp://no-such-host.invalid/x;USER=u;PASSWORD=" + SECRET
      })
  void anUnknownHost(String url) {
    assertUnavailable(url).hasMessageContainingAll("the host of the database is not known");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://127.0.0.1:1/x?user=u&password=" + SECRET,
        "jdbc:mariadb://127.0.0.1:1/x?user=u&password=" + SECRET,
        "jdbc:h2:tcp://127.0.0.1:1/x;USER=u;PASSWORD=" + SECRET
      })
  void aServerThatIsDown(String url) {
    assertUnavailable(url).hasMessageContainingAll("nothing listens there", "is this its port?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://127.0.0.1:%d/x?user=u&holdfast.timeout=2s&password=" + SECRET,
        "jdbc:mariadb://127.0.0.1:%d/x?user=u&holdfast.timeout=2s&password=" + SECRET
      })
  void aServerThatDoesNotAnswer(String url) throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      assertUnavailable(url.formatted(silent.getLocalPort()))
          .hasMessageContaining("does not answer");
    }
  }

  // ---- refusals

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void anUnknownDatabase(TestDatabase.Kind kind) {
    assertRefused(TestDatabase.of(kind).called("nowhere").url())
        .hasMessageContainingAll("no database of this name", "nowhere");
  }

  @Test
  void anUnknownDatabaseOfH2() {
    assertRefused("jdbc:h2:mem:nowhere;IFEXISTS=TRUE")
        .hasMessageContainingAll("no database of this name", "nowhere");
  }

  @Test
  void aFileOfSqliteThatCannotBeOpened(@TempDir Path folder) throws IOException {
    assertRefused("jdbc:sqlite:" + folder.resolve("none/locks.db"))
        .hasMessageContainingAll("cannot be opened", "folder");
    Path text = folder.resolve("letter.txt");
    Files.writeString(text, "Dear reader, this is not a database. ".repeat(100));
    assertRefused("jdbc:sqlite:" + text).hasMessageContaining("no SQLite database");
  }

  @Test
  void aWrongPasswordOfH2() {
    String url = "jdbc:h2:mem:guarded;DB_CLOSE_DELAY=-1;USER=sa;PASSWORD=";
    LockManager.create(url + "right").close();
    assertRefused(url + SECRET).hasMessageContaining("password is wrong");
  }

  /** Uses a server of its own that requires passwords. */
  @Test
  void aWrongOrMissingPasswordOfPostgres() throws IOException {
    Path rules = Files.createTempFile("holdfast-pg-hba-", ".conf");
    Files.writeString(
        rules, "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
    try (PostgresServer server = PostgresServer.start(Map.of("hba_file", rules.toString()))) {
      TestDatabase.at(server.url()).update("CREATE ROLE guarded LOGIN PASSWORD 'right'");
      String url = server.url().replace("user=postgres", "user=guarded") + "&holdfast.timeout=60s";
      assertRefused(url + "&password=" + SECRET).hasMessageContaining("password is wrong");
      assertRefused(url).hasMessageContaining("missing");
      assertRefused(url + "&password=right&holdfast.schema=create")
          .hasMessageContainingAll("may not create the tables", "postgresql.sql");
      assertRefused(url + "&password=right&sslmode=require").hasMessageContaining("SSL");
    } finally {
      Files.delete(rules);
    }
  }

  /** Uses a server of its own that requires passwords once its privileges are loaded. */
  @Test
  void aWrongPasswordAndMissingRightsInMariaDb() throws SQLException {
    try (MariaDbServer server = MariaDbServer.startNew();
        Connection root = TestDatabase.at(server.url()).connect();
        Statement statement = root.createStatement()) {
      statement.execute("FLUSH PRIVILEGES");
      statement.execute("CREATE USER 'guarded'@'localhost' IDENTIFIED BY 'right'");
      String url = server.url().replace("user=root", "user=guarded");
      assertRefused(url + "&password=" + SECRET).hasMessageContaining("password is wrong");
      statement.execute("REVOKE ALL PRIVILEGES, GRANT OPTION FROM 'guarded'@'localhost'");
      statement.execute("DELETE FROM mysql.db");
      statement.execute("FLUSH PRIVILEGES");
      assertRefused(url + "&password=right").hasMessageContaining("may not use this database");
      statement.execute("GRANT SELECT, INSERT, UPDATE ON test.* TO 'guarded'@'localhost'");
      assertRefused(url + "&password=right&holdfast.schema=create")
          .hasMessageContainingAll("may not create the tables", "mysql.sql");
    }
  }

  @Test
  void aMissingRightToCreateTheTablesInH2() {
    TestDatabase database = TestDatabase.h2();
    String user = "u" + TestDatabase.newTables().substring(0, 12);
    database.update("CREATE USER " + user + " PASSWORD 'right'");
    assertRefused(
            TestDatabase.at("jdbc:h2:mem:holdfast;USER=" + user + ";PASSWORD=right")
                .urlWith("schema=create", "tables=" + TestDatabase.newTables()))
        .hasMessageContainingAll("may not create the tables", "h2.sql");
  }
}
