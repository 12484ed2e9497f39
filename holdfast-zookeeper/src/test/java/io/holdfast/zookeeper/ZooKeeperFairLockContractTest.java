package io.holdfast.zookeeper;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.FairLockContract;

class ZooKeeperFairLockContractTest extends FairLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new ZooKeeperEngineUnderTest();
  }
}
