package io.holdfast.jdbc;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.LogLinesContract;
import org.junit.jupiter.api.Nested;

@ContractsOn(database = TestDatabase.Kind.POSTGRES, strategy = ContractsOn.PESSIMISTIC)
class PostgresLogTest {
  @Nested
  class LogLinesTest extends LogLinesContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }
}
