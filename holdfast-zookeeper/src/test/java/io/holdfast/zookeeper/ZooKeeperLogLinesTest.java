package io.holdfast.zookeeper;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.LogLinesContract;

class ZooKeeperLogLinesTest extends LogLinesContract {
  @Override
  protected EngineUnderTest engine() {
    return new ZooKeeperEngineUnderTest();
  }
}
