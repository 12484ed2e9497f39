package io.holdfast.zookeeper;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReentrantLockContract;
import org.junit.jupiter.api.Order;

@Order(1) // long
class ZooKeeperLockContractTest extends ReentrantLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new ZooKeeperEngineUnderTest();
  }
}
