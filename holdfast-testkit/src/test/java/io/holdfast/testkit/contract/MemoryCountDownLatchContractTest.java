package io.holdfast.testkit.contract;

class MemoryCountDownLatchContractTest extends CountDownLatchContract {
  @Override
  protected EngineUnderTest engine() {
    return new MemoryEngineUnderTest();
  }
}
