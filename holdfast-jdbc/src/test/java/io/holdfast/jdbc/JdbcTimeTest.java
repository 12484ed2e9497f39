package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.jdbc.backend.Dialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times are those of the database, whatever the time zones of its sessions and of this JVM. */
@Isolated
@Timeout(300)
class JdbcTimeTest {
  private static final Duration LEASE = Duration.ofSeconds(60);
  private static final Duration SHORT_LEASE = Duration.ofMillis(500);

  private static final JdbcOptions OPTIONS =
      JdbcOptions.defaults().createSchema().timeout(TestDatabase.TIMEOUT);

  private final String tables = TestDatabase.newTables();

  private LockManager inZone(TestDatabase database, String setZone) {
    TestDataSource source =
        new TestDataSource(
            database,
            20,
            connection -> {
              try (Statement statement = connection.createStatement()) {
                statement.execute(setZone);
              }
            });
    return LockManager.builder("jdbc:test")
        .engine(JdbcBackendProvider.using(source, OPTIONS.tables(tables)))
        .build();
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRES, SET TIME ZONE 'Asia/Kolkata', SET TIME ZONE 'America/New_York'",
    "MARIADB, SET time_zone = '+05:30', SET time_zone = '-05:00'",
    "H2, SET TIME ZONE 'Asia/Kolkata', SET TIME ZONE 'America/New_York'"
  })
  void sessionsInDifferentZonesAgreeOnTheEndOfALease(
      TestDatabase.Kind kind, String hereZone, String thereZone) throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (LockManager here = inZone(database, hereZone);
        LockManager there = inZone(database, thereZone)) {
      try (Lease held = here.getLock("held").leaseFor(LEASE).acquire()) {
        assertThat(held.isValid()).isTrue();
        assertThat(there.getLock("held").tryLock()).isFalse();
        Duration left = there.getLock("held").info().holder().orElseThrow().remaining();
        assertThat(left).isBetween(Duration.ZERO, LEASE);
      }
      Lease lease = here.getLock("k").leaseFor(SHORT_LEASE).acquire();
      DistributedLock lock = there.getLock("k");
      assertThat(lock.tryLock(Patience.LIMIT)).isTrue(); // hours later if the sessions disagree
      assertThat(lease.isValid()).isFalse();
      assertThat(lock.fencingToken()).isGreaterThan(lease.token());
      lock.unlock();
      assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
    }
  }

  /** The hour that New York has twice, the hour that it skips, and the turn of the year. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-01T05:30:00.123456Z",
        "2026-11-01T06:30:00.123456Z",
        "2026-03-08T07:30:00.123456Z",
        "2026-12-31T23:59:59.999999Z",
        "2028-02-29T12:00:00.000001Z"
      })
  void mariaDbTellsTheTimeInEveryHourOfTheYear(String moment) throws Exception {
    Instant instant = Instant.parse(moment);
    long micros = instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000;
    try (Connection connection = TestDatabase.mariaDb().connect();
        Statement statement = connection.createStatement()) {
      for (String zone : new String[] {"SYSTEM", "-05:00", "+12:45"}) {
        statement.execute("SET time_zone = '" + zone + "'");
        statement.execute(
            "SET timestamp = %d.%06d".formatted(micros / 1_000_000, micros % 1_000_000));
        try (ResultSet result = statement.executeQuery("SELECT " + Dialect.MYSQL.now())) {
          result.next();
          assertThat(result.getLong(1)).isEqualTo(micros);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theClockOfTheDatabaseIsReadInMicrosecondsSince1970(TestDatabase.Kind kind) {
    TestDatabase database = TestDatabase.of(kind);
    TimeZone zone = TimeZone.getDefault();
    try {
      for (String each : new String[] {"America/New_York", "Asia/Kolkata", "UTC"}) {
        TimeZone.setDefault(TimeZone.getTimeZone(each));
        long before = System.currentTimeMillis() * 1000;
        long read = database.number("SELECT " + database.dialect().now());
        assertThat(read)
            .isBetween(before - 1_000_000, System.currentTimeMillis() * 1000 + 1_000_000);
      }
    } finally {
      TimeZone.setDefault(zone);
    }
  }

  /** The time must be read after the wait for the row. */
  @Test
  void aLeaseThatBeginsAfterAWaitForTheRowIsNotShortenedByTheWait() throws Exception {
    TestDatabase database = TestDatabase.postgres();
    String url =
        database.urlWith(
            "tables=" + tables, "schema=create", "timeout=60s", "strategy=pessimistic");
    try (LockManager manager = LockManager.create(url);
        Connection operator = database.connect();
        Statement statement = operator.createStatement()) {
      manager.getLock("k").lock();
      manager.getLock("k").unlock();
      operator.setAutoCommit(false);
      statement.executeQuery("SELECT * FROM " + tables + "lock FOR UPDATE").close();
      CompletableFuture<Lease> coming = manager.getLock("k").acquireAsync();
      Patience.eventually().until(() -> database.waitingForRows(tables) == 1);
      long freed = database.number("SELECT " + Dialect.POSTGRESQL.now());
      operator.rollback(); // the row stays as it was: an early reading would then be used
      Lease lease = Patience.get(coming);
      long used = database.number("SELECT used_micros FROM " + tables + "lock");
      assertThat(used).isGreaterThanOrEqualTo(freed);
      lease.close();
    }
  }
}
