package io.holdfast.zookeeper;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReadWriteLockContract;

class ZooKeeperReadWriteLockContractTest extends ReadWriteLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new ZooKeeperEngineUnderTest();
  }
}
