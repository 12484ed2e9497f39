package io.holdfast.zookeeper.ensemble;

import io.holdfast.testkit.contract.CountDownLatchContract;
import io.holdfast.testkit.contract.EngineUnderTest;

class EnsembleCountDownLatchContractTest extends CountDownLatchContract {
  @Override
  protected EngineUnderTest engine() {
    return EnsembleUnderTest.engine();
  }
}
