package io.holdfast.redis;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReadWriteLockContract;

class RedisReadWriteLockContractTest extends ReadWriteLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new RedisEngineUnderTest();
  }
}
