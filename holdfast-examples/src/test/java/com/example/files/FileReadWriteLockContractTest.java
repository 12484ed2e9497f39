package com.example.files;

import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReadWriteLockContract;

class FileReadWriteLockContractTest extends ReadWriteLockContract {
  @Override
  protected EngineUnderTest engine() {
    return new FileEngineUnderTest();
  }
}
