package io.holdfast.testkit.contract;

class MemoryReadWriteLockContractTest extends ReadWriteLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new MemoryEngineUnderTest();
  }
}
