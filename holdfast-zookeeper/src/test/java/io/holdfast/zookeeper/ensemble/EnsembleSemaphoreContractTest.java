package io.holdfast.zookeeper.ensemble;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.SemaphoreContract;
import org.junit.jupiter.api.Tag;

@Tag("full")
class EnsembleSemaphoreContractTest extends SemaphoreContract {
  @Override
  protected EngineUnderTest engine() {
    return EnsembleUnderTest.engine();
  }
}
