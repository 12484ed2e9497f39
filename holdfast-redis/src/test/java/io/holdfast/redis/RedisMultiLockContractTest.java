package io.holdfast.redis;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.MultiLockContract;

class RedisMultiLockContractTest extends MultiLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new RedisEngineUnderTest();
  }
}
