package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.contract.ContractMatrix;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcMatrixTest {
  @ParameterizedTest
  @ValueSource(
      classes = {
        H2PessimisticTest.class,
        H2OptimisticTest.class,
        SqlitePessimisticTest.class,
        SqliteOptimisticTest.class,
        PostgresPessimisticTest.class,
        PostgresOptimisticTest.class,
        MariaDbPessimisticTest.class,
        MariaDbOptimisticTest.class
      })
  void everyContractIsRunOnEveryDatabaseWithBothStrategies(Class<?> suite) {
    assertThat(Arrays.stream(suite.getDeclaredClasses()).<Class<?>>map(Class::getSuperclass))
        .containsExactlyInAnyOrderElementsOf(ContractMatrix.all());
  }
}
