package io.holdfast.redis;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.LogLinesContract;

class RedisLogLinesTest extends LogLinesContract {
  @Override
  protected EngineUnderTest engine() {
    return new RedisEngineUnderTest();
  }
}
