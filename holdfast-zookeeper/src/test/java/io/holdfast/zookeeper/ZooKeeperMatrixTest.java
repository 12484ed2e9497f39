package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.contract.ContractMatrix;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ZooKeeperMatrixTest {
  @Test
  void theDefaultBuildRunsEveryContractOnOneServer() {
    assertThat(ContractMatrix.missingIn(ZooKeeperLockContractTest.class, Set.of("full"))).isEmpty();
  }
}
