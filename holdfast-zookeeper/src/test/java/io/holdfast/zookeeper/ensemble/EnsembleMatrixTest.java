package io.holdfast.zookeeper.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.contract.ContractMatrix;
import org.junit.jupiter.api.Test;

class EnsembleMatrixTest {
  @Test
  void profileFullRunsEveryContractOnAnEnsemble() {
    assertThat(ContractMatrix.missingIn(EnsembleLockContractTest.class)).isEmpty();
  }
}
