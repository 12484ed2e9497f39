package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.ChildJvm;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What a process leaves behind that ends without having closed its manager. */
interface ExitContract extends ContractFixture {

  @Test
  default void aHolderThatIsTerminatedGivesItsLockBackLongBeforeItsLeaseEnds() throws Exception {
    String url = store().urlForOtherProcesses().orElse("");
    Assumptions.assumeFalse(url.isEmpty(), "no other process reaches this store");
    try (ChildJvm holder =
        ChildJvm.builder(HoldingProcess.class)
            .args(url, key(), "true")
            .jvmArgs("-Dholdfast.internal.closeSeconds=60") // however starved it is
            .start()) {
      holder.awaitLine("locked", PATIENCE);
      assertThat(lock().tryLock()).isFalse();
      holder.terminate();
      assertThat(lock().tryLock(PATIENCE)).as("its lease lasts ten minutes").isTrue();
      lock().unlock();
      assertThat(holder.waitFor(PATIENCE)).as("ended by SIGTERM").isEqualTo(128 + 15);
    }
  }
}
