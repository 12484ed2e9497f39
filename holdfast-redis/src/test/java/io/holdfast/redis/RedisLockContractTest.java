package io.holdfast.redis;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReentrantLockContract;
import io.holdfast.testservers.RedisServer;
import org.junit.jupiter.api.AfterAll;

/** On a server of its own: it is made to forget everything, while other contracts go on. */
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
