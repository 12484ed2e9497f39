package io.holdfast.zookeeper.ensemble;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReadWriteLockContract;
import org.junit.jupiter.api.Tag;

@Tag("full")
class EnsembleReadWriteLockContractTest extends ReadWriteLockContract {
  @Override
  protected EngineUnderTest engine() {
    return EnsembleUnderTest.engine();
  }
}
