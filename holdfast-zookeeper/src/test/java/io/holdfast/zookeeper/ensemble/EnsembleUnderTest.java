package io.holdfast.zookeeper.ensemble;

import io.holdfast.testservers.ZooKeeperEnsemble;
import io.holdfast.zookeeper.ZooKeeperEngineUnderTest;

/** The ensemble of this test run; a manager connects to any of its servers. */
final class EnsembleUnderTest {
  private static final ZooKeeperEnsemble ENSEMBLE = ZooKeeperEnsemble.start();

  private EnsembleUnderTest() {}

  static ZooKeeperEngineUnderTest engine() {
    return new ZooKeeperEngineUnderTest(ENSEMBLE.servers());
  }
}
