package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.contract.ContractMatrix;
import org.junit.jupiter.api.Test;

class RedisMatrixTest {
  @Test
  void everyContractIsRunOnRedis() {
    assertThat(ContractMatrix.missingIn(RedisLockContractTest.class)).isEmpty();
  }
}
