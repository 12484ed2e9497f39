package io.holdfast.redis;

import io.holdfast.testkit.contract.CountDownLatchContract;
import io.holdfast.testkit.contract.EngineUnderTest;

class RedisCountDownLatchContractTest extends CountDownLatchContract {
  @Override
  protected EngineUnderTest engine() {
    return new RedisEngineUnderTest();
  }
}
