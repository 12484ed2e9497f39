package com.example.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.contract.ContractMatrix;
import org.junit.jupiter.api.Test;

class FileMatrixTest {
  @Test
  void everyContractIsRunOnThisEngine() {
    assertThat(ContractMatrix.missingIn(FileLockContractTest.class)).isEmpty();
  }
}
