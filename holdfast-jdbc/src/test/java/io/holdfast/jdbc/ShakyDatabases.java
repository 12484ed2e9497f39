package io.holdfast.jdbc;

import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.MariaDbServer;
import io.holdfast.testservers.PostgresServer;
import java.time.Duration;

/** Databases behind a network that can be broken, and managers on both sides of it. */
abstract class ShakyDatabases {
  /** A time-out for lost answers: short, but far longer than an answer takes. */
  private static final String SHORT_TIMEOUT = "timeout=3s";

  final String tables = TestDatabase.newTables();

  /** A manager that waits for answers as long as a busy machine needs. */
  LockManager manager(TestDatabase database, String... more) {
    String[] options = new String[more.length + 2];
    options[0] = "tables=" + tables;
    options[1] = "schema=create";
    System.arraycopy(more, 0, options, 2, more.length);
    return Patience.connect(LockManager.builder(database.urlWith(options)));
  }

  LockManager near(TestDatabase.Kind kind) {
    return manager(TestDatabase.of(kind));
  }

  /** A manager with a short time-out. */
  LockManager impatient(TestDatabase database, String... more) {
    String[] options = new String[more.length + 1];
    options[0] = SHORT_TIMEOUT;
    System.arraycopy(more, 0, options, 1, more.length);
    return manager(database, options);
  }

  /** A lease that outlasts the test even without a renewal. */
  static LockConfig lasting(String key) {
    return LockConfig.builder()
        .lockKey(key)
        .leaseTime(Duration.ofMinutes(10))
        .storeTimeout(Duration.ofMinutes(10))
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
