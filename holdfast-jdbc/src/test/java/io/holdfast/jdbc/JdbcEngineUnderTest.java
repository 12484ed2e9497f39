package io.holdfast.jdbc;

import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.jdbc.backend.Ascii;
import io.holdfast.testkit.contract.EngineUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A table of its own in a database that other tests use at the same time. */
final class JdbcEngineUnderTest implements EngineUnderTest {
  private static final Map<Class<?>, TestDatabase> DATABASES = new ConcurrentHashMap<>();

  private final TestDatabase database;
  private final String tables;
  private final String url;

  /** The engine of a contract inside a class with {@link ContractsOn}. */
  JdbcEngineUnderTest(Class<?> contract) {
    ContractsOn on = contract.getEnclosingClass().getAnnotation(ContractsOn.class);
    this.database = DATABASES.computeIfAbsent(contract, own -> TestDatabase.of(on.database()));
    this.tables =
        "t_" + contract.getSimpleName().toLowerCase(Locale.ROOT) + "_" + on.strategy() + "_";
    this.url = database.urlWith("schema=create", "strategy=" + on.strategy(), "tables=" + tables);
  }

  @Override
  public LockManagerBuilder newManager() {
    return LockManager.builder(url);
  }

  /**
   * PostgreSQL sends a message. The others are polled: a holder looks again after a quarter of the
   * time for which it has held, and a contract that holds for longer than this must wait longer.
   */
  @Override
  public Duration holdersHearWithin() {
    return Duration.ofSeconds(4);
  }

  @Override
  public Optional<String> urlForOtherProcesses() {
    return url.startsWith("jdbc:h2:mem:") ? Optional.empty() : Optional.of(url);
  }

  @Override
  public void removeByHand(String key) {
    database.update(
        "UPDATE " + tables + "lock SET state = '', version = version + 1 WHERE name = ?",
        Ascii.escape(key));
  }

  @Override
  public void forgetEverything() {
    database.update("DELETE FROM " + tables + "lock");
  }

  @Override
  public Collection<String> leftoversOf(String key) {
    List<String> left = new ArrayList<>();
    database.query(
        "SELECT name, state FROM %slock WHERE state <> '' AND until_micros > %s"
            .formatted(tables, database.dialect().now()),
        row -> {
          if (row.getString(1).startsWith(key)) {
            left.add(row.getString(1) + " = " + row.getString(2));
          }
        });
    return left;
  }

  @Override
  public boolean isShared(Thread thread) {
    return thread.getName().startsWith("PostgreSQL-JDBC");
  }
}
