package io.holdfast.zookeeper;

import io.holdfast.testkit.contract.CountDownLatchContract;
import io.holdfast.testkit.contract.EngineUnderTest;

class ZooKeeperCountDownLatchContractTest extends CountDownLatchContract {
  @Override
  protected EngineUnderTest engine() {
    return new ZooKeeperEngineUnderTest();
  }
}
