package io.holdfast.testkit.contract;

class MemoryWatchdogContractTest extends WatchdogContract {
  @Override
  protected EngineUnderTest engine() {
    return new MemoryEngineUnderTest();
  }
}
