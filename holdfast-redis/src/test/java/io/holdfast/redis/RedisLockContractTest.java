package io.holdfast.redis;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReentrantLockContract;
import io.holdfast.testservers.RedisServer;
import org.junit.jupiter.api.AfterAll;

/** Has its own server, because the contract makes it forget everything. */
class RedisLockContractTest extends ReentrantLockContract {
  private static final RedisServer SERVER = RedisServer.builder().start();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Override
  protected EngineUnderTest engine() {
    return new RedisEngineUnderTest(SERVER);
  }
}
