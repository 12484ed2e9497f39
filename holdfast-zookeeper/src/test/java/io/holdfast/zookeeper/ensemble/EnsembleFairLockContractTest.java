package io.holdfast.zookeeper.ensemble;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.FairLockContract;
import org.junit.jupiter.api.Tag;

@Tag("full")
class EnsembleFairLockContractTest extends FairLockContract {
  @Override
  protected EngineUnderTest engine() {
    return EnsembleUnderTest.engine();
  }
}
