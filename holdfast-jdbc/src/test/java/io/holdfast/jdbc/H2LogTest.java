package io.holdfast.jdbc;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.LogLinesContract;
import org.junit.jupiter.api.Nested;

@ContractsOn(database = TestDatabase.Kind.H2, strategy = ContractsOn.OPTIMISTIC)
class H2LogTest {
  @Nested
  class LogLinesTest extends LogLinesContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }
}
