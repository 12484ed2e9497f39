package io.holdfast.testkit.contract;

class MemorySemaphoreContractTest extends SemaphoreContract {
  @Override
  protected EngineUnderTest engine() {
    return new MemoryEngineUnderTest();
  }
}
