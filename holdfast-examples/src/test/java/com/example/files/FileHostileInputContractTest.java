package com.example.files;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.HostileInputContract;

class FileHostileInputContractTest extends HostileInputContract {
  @Override
  protected EngineUnderTest engine() {
    return new FileEngineUnderTest();
  }
}
