package io.holdfast.testkit.contract;

class MemoryLockContractTest extends ReentrantLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new MemoryEngineUnderTest();
  }
}
