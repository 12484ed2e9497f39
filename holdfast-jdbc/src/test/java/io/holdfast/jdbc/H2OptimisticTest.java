package io.holdfast.jdbc;

import io.holdfast.testkit.contract.CountDownLatchContract;
import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.FairLockContract;
import io.holdfast.testkit.contract.HostileInputContract;
import io.holdfast.testkit.contract.MultiLockContract;
import io.holdfast.testkit.contract.ReadWriteLockContract;
import io.holdfast.testkit.contract.ReentrantLockContract;
import io.holdfast.testkit.contract.SemaphoreContract;
import io.holdfast.testkit.contract.WatchdogContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Every contract on H2 in memory, with the optimistic strategy. */
@Tag("full")
@ContractsOn(database = TestDatabase.Kind.H2, strategy = ContractsOn.OPTIMISTIC)
class H2OptimisticTest {
  @Nested
  class LockTest extends ReentrantLockContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }

  @Nested
  class FairLockTest extends FairLockContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }

  @Nested
  class ReadWriteLockTest extends ReadWriteLockContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }

  @Nested
  class SemaphoreTest extends SemaphoreContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }

  @Nested
  class LatchTest extends CountDownLatchContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }

  @Nested
  class MultiLockTest extends MultiLockContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }

  @Nested
  class WatchdogTest extends WatchdogContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }

  @Nested
  class HostileInputTest extends HostileInputContract {
    @Override
    protected EngineUnderTest engine() {
      return new JdbcEngineUnderTest(getClass());
    }
  }
}
