package io.holdfast.zookeeper.ensemble;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.HostileInputContract;
import org.junit.jupiter.api.Tag;

@Tag("full")
class EnsembleHostileInputContractTest extends HostileInputContract {
  @Override
  protected EngineUnderTest engine() {
    return EnsembleUnderTest.engine();
  }
}
