package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.contract.ContractMatrix;
import org.junit.jupiter.api.Test;

class ZooKeeperMatrixTest {
  @Test
  void everyContractIsRunOnZooKeeper() {
    assertThat(ContractMatrix.missingIn(ZooKeeperLockContractTest.class)).isEmpty();
  }
}
