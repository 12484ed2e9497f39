package com.example.files;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.FairLockContract;

class FileFairLockContractTest extends FairLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new FileEngineUnderTest();
  }
}
