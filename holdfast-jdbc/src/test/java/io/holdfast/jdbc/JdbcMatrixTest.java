package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.contract.ContractMatrix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The contracts that run on each database. The default build skips tests tagged {@code full};
 * profile full runs all.
 */
class JdbcMatrixTest {
  private static final List<Class<?>> SUITES =
      List.of(
          H2PessimisticTest.class,
          H2OptimisticTest.class,
          SqlitePessimisticTest.class,
          SqliteOptimisticTest.class,
          PostgresPessimisticTest.class,
          PostgresOptimisticTest.class,
          MariaDbPessimisticTest.class,
          MariaDbOptimisticTest.class);

  /** One contract on one database with one strategy. */
  private record Cell(TestDatabase.Kind database, String strategy, Class<?> contract) {}

  private static Stream<Cell> cells(boolean full) {
    return SUITES.stream().flatMap(suite -> cells(suite, full));
  }

  private static Stream<Cell> cells(Class<?> suite, boolean full) {
    ContractsOn on = suite.getAnnotation(ContractsOn.class);
    return Arrays.stream(suite.getDeclaredClasses())
        .filter(each -> each.isAnnotationPresent(Nested.class))
        .filter(each -> full || !(isFull(suite) || isFull(each)))
        .map(each -> new Cell(on.database(), on.strategy(), each.getSuperclass()));
  }

  private static boolean isFull(Class<?> test) {
    return Arrays.stream(test.getAnnotationsByType(Tag.class))
        .anyMatch(tag -> tag.value().equals("full"));
  }

  @Test
  void profileFullRunsEveryContractOnEveryDatabaseWithBothStrategies() {
    List<Cell> expected = new ArrayList<>();
    for (TestDatabase.Kind database : TestDatabase.Kind.values()) {
      for (String strategy : List.of(ContractsOn.PESSIMISTIC, ContractsOn.OPTIMISTIC)) {
        ContractMatrix.all().forEach(each -> expected.add(new Cell(database, strategy, each)));
      }
    }
    assertThat(cells(true)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @ParameterizedTest
  @FieldSource("CONTRACTS")
  void theDefaultBuildRunsEachContractOnEveryDatabaseAndWithEachStrategyOnAServerAndEmbedded(
      Class<?> contract) {
    List<Cell> run = cells(false).filter(cell -> cell.contract() == contract).toList();
    assertThat(run).extracting(Cell::database).contains(TestDatabase.Kind.values());
    for (boolean server : new boolean[] {true, false}) {
      Set<String> strategies = new HashSet<>();
      run.stream()
          .filter(cell -> cell.database().isServer() == server)
          .forEach(cell -> strategies.add(cell.strategy()));
      assertThat(strategies)
          .as(server ? "on a server" : "embedded")
          .contains(ContractsOn.PESSIMISTIC, ContractsOn.OPTIMISTIC);
    }
  }

  @SuppressWarnings("unused") // JUnit uses it
  private static final List<Class<?>> CONTRACTS = ContractMatrix.all();
}
