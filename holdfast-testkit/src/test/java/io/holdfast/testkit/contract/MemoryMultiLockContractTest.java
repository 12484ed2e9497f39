package io.holdfast.testkit.contract;

class MemoryMultiLockContractTest extends MultiLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new MemoryEngineUnderTest();
  }
}
