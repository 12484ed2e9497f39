package io.holdfast.zookeeper.ensemble;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.MultiLockContract;
import org.junit.jupiter.api.Tag;

@Tag("full")
class EnsembleMultiLockContractTest extends MultiLockContract {
  @Override
  protected EngineUnderTest engine() {
    return EnsembleUnderTest.engine();
  }
}
