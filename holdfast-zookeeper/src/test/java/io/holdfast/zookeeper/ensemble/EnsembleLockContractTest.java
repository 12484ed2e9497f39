package io.holdfast.zookeeper.ensemble;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReentrantLockContract;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

@Order(1) // long
@Tag("full")
class EnsembleLockContractTest extends ReentrantLockContract {
  @Override
  protected EngineUnderTest engine() {
    return EnsembleUnderTest.engine();
  }
}
