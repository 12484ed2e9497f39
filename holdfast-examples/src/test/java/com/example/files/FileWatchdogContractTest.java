package com.example.files;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.WatchdogContract;

class FileWatchdogContractTest extends WatchdogContract {
  @Override
  protected EngineUnderTest engine() {
    return new FileEngineUnderTest();
  }
}
