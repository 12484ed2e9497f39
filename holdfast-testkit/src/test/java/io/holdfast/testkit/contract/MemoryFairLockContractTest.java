package io.holdfast.testkit.contract;

class MemoryFairLockContractTest extends FairLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new MemoryEngineUnderTest();
  }
}
