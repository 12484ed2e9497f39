package io.holdfast.jdbc;

import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.FaultyProxy;
import io.holdfast.testkit.MariaDbServer;
import io.holdfast.testkit.PostgresServer;
import java.time.Duration;

/**
 * Databases behind a network that can be broken, and managers that wait for an answer for a second,
 * or for five if nothing is wrong with their way.
 */
abstract class ShakyDatabases {
  static final Duration PATIENCE = Duration.ofSeconds(40);

  final String tables = TestDatabase.newTables();

  LockManager manager(TestDatabase database, String... more) {
    return manager("1s", database, more);
  }

  LockManager near(TestDatabase.Kind kind) {
    return manager("5s", TestDatabase.of(kind));
  }

  private LockManager manager(String timeout, TestDatabase database, String... more) {
    String url = database.urlWith("tables=" + tables, "schema=create", "timeout=" + timeout);
    StringBuilder text = new StringBuilder(url);
    for (String option : more) {
      text.append("&holdfast.").append(option);
    }
    return LockManager.create(text.toString());
  }

  static LockConfig renewedOften(String key) {
    return LockConfig.builder()
        .lockKey(key)
        .leaseTime(Duration.ofSeconds(20))
        .renewalTime(Duration.ofMillis(300))
        .build();
  }

  static FaultyProxy proxyTo(TestDatabase.Kind kind) {
    return kind == TestDatabase.Kind.POSTGRES
        ? FaultyProxy.to("127.0.0.1", PostgresServer.shared().port())
        : FaultyProxy.to("127.0.0.1", MariaDbServer.shared().port());
  }

  static TestDatabase through(FaultyProxy proxy, TestDatabase.Kind kind) {
    return TestDatabase.at(
        kind == TestDatabase.Kind.POSTGRES
            ? PostgresServer.shared().urlAt(proxy.port())
            : MariaDbServer.shared().urlAt(proxy.port()));
  }
}
