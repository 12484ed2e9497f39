package io.holdfast.zookeeper.ensemble;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.WatchdogContract;
import org.junit.jupiter.api.Tag;

@Tag("full")
class EnsembleWatchdogContractTest extends WatchdogContract {
  @Override
  protected EngineUnderTest engine() {
    return EnsembleUnderTest.engine();
  }
}
