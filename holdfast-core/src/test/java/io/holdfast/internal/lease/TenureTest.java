package io.holdfast.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockConfig;
import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a tenure, which comes once. */
@Timeout(600)
class TenureTest {
  private static final int ROUNDS = 20;
  private static final int TENURES = 5_000;
  private static final Duration LEASE = Duration.ofMinutes(10);

  private static Tenure tenure() {
    TenureListener listener =
        new TenureListener() {
          @Override
          public Resource resource() {
            return Resource.lock("k");
          }

          @Override
          public void tenureLost(Tenure lost) {}
        };
    AcquireSpec spec =
        new AcquireSpec(LockConfig.defaults(), Claim.EXCLUSIVE, true, LEASE, true, 0, false);
    return new Tenure(
        listener, new Owner("c", "t"), spec, TokenBlock.ofTick(1), 0, LEASE, false, null);
  }

  /** Two find at the same time that tenures are lost, for different reasons. */
  @Test
  void theReasonIsThatOfWhoeverLosesIt() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      for (int round = 0; round < ROUNDS; round++) {
        List<Tenure> tenures = Stream.generate(TenureTest::tenure).limit(TENURES).toList();
        CyclicBarrier start = new CyclicBarrier(2);
        Future<boolean[]> closing =
            other.submit(() -> loseAll(tenures, LossReason.MANAGER_CLOSED, start));
        boolean[] gone = loseAll(tenures, LossReason.GONE_FROM_STORE, start);
        boolean[] closed = closing.get();
        for (int i = 0; i < TENURES; i++) {
          assertThat(closed[i]).isEqualTo(!gone[i]);
          assertThat(tenures.get(i).lossReason())
              .isEqualTo(gone[i] ? LossReason.GONE_FROM_STORE : LossReason.MANAGER_CLOSED);
        }
      }
    } finally {
      other.shutdownNow();
    }
  }

  /** Which of them were lost by this. */
  private static boolean[] loseAll(List<Tenure> tenures, LossReason reason, CyclicBarrier start)
      throws Exception {
    boolean[] first = new boolean[tenures.size()];
    start.await();
    for (int i = 0; i < first.length; i++) {
      first[i] = tenures.get(i).lose(reason);
    }
    return first;
  }

  @Test
  void whatIsReleasedIsNotLostAfterwards() {
    Tenure tenure = tenure();
    assertThat(tenure.end()).isTrue();
    assertThat(tenure.lose(LossReason.NOT_RENEWED)).isFalse();
    assertThat(tenure.isLive()).isFalse();
    Tenure lost = tenure();
    assertThat(lost.lose(LossReason.NOT_RENEWED)).isTrue();
    assertThat(lost.end()).isFalse();
    assertThat(lost.lose(LossReason.MANAGER_CLOSED)).isFalse();
    assertThat(lost.lossReason()).isEqualTo(LossReason.NOT_RENEWED);
  }
}
