package io.holdfast.testkit.contract;

class MemoryHostileInputContractTest extends HostileInputContract {
  @Override
  protected EngineUnderTest engine() {
    return new MemoryEngineUnderTest();
  }
}
