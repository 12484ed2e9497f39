package io.holdfast.redis;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.SemaphoreContract;

class RedisSemaphoreContractTest extends SemaphoreContract {
  @Override
  protected EngineUnderTest engine() {
    return new RedisEngineUnderTest();
  }
}
