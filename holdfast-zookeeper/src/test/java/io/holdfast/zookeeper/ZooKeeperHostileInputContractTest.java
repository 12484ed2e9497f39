package io.holdfast.zookeeper;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.HostileInputContract;

class ZooKeeperHostileInputContractTest extends HostileInputContract {
  @Override
  protected EngineUnderTest engine() {
    return new ZooKeeperEngineUnderTest();
  }
}
