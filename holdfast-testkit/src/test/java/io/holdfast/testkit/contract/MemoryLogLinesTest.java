package io.holdfast.testkit.contract;

class MemoryLogLinesTest extends LogLinesContract {
  @Override
  protected EngineUnderTest engine() {
    return new MemoryEngineUnderTest();
  }
}
