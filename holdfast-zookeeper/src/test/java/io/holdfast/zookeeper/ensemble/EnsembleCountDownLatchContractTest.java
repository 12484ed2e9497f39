package io.holdfast.zookeeper.ensemble;

import io.holdfast.testkit.contract.CountDownLatchContract;
import io.holdfast.testkit.contract.EngineUnderTest;
import org.junit.jupiter.api.Tag;

@Tag("full")
class EnsembleCountDownLatchContractTest extends CountDownLatchContract {
  @Override
  protected EngineUnderTest engine() {
    return EnsembleUnderTest.engine();
  }
}
