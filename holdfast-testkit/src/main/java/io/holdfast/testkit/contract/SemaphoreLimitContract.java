package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreException;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The number of permits: the one in the store decides, whatever number callers declare. */
interface SemaphoreLimitContract extends ContractFixture {
  private DistributedSemaphore semaphore(int permits) {
    return manager().getSemaphore(key(), permits);
  }

  private DistributedSemaphore elsewhere(int permits) {
    return otherManager().getSemaphore(key(), permits);
  }

  private int waiters() {
    int local = semaphore(3).info().localWaiters() + elsewhere(3).info().localWaiters();
    return semaphore(3).info().waiters().size() + local;
  }

  @Test
  default void morePermitsThanThereAreCannotBeHadAndThatIsAResult() throws Exception {
    assertThat(semaphore(2).tryAcquire(3)).isEmpty();
    assertThat(semaphore(2).tryAcquire(Integer.MAX_VALUE)).isEmpty();
    assertThat(semaphore(2).tryAcquire(3, Duration.ofMillis(50))).isEmpty();
    CompletableFuture<Lease> late =
        semaphore(2).permits(3).waitUpTo(Duration.ofMillis(50)).acquireAsync();
    assertThatThrownBy(() -> OtherThread.get(late)).isInstanceOf(LockTimeoutException.class);
    assertThat(semaphore(2).availablePermits()).isEqualTo(2);
    elsewhere(2).acquire(2).close();
  }

  @Test
  default void afterTheNumberWasRaisedAsManyCanBeTakenTogether() {
    semaphore(2).setPermits(5);
    Lease four = semaphore(2).acquire(4);
    assertThat(elsewhere(2).tryAcquire(2)).isEmpty();
    Lease one = elsewhere(2).tryAcquire(1).orElseThrow();
    assertThat(semaphore(2).availablePermits()).isZero();
    four.close();
    one.close();
    semaphore(2).setPermits(2);
  }

  @Test
  default void whileTheNumberIsChangedEveryDeclaredNumberIsAccepted() {
    Lease held = semaphore(2).acquire();
    assertThatThrownBy(() -> elsewhere(5).acquire()).isInstanceOf(StoreException.class);
    semaphore(2).setPermits(5);
    Lease four = elsewhere(5).acquire(4);
    assertThat(elsewhere(5).permits()).isEqualTo(5);
    assertThat(elsewhere(7).permits()).isEqualTo(5);
    assertThat(elsewhere(7).tryAcquire()).isEmpty();
    four.close();
    held.close();
    elsewhere(5).setPermits(3);
    Lease three = semaphore(2).acquire(3);
    assertThat(elsewhere(5).tryAcquire()).isEmpty();
    three.close();
    semaphore(2).setPermits(2);
    Lease again = semaphore(2).acquire();
    assertThatThrownBy(() -> elsewhere(5).acquire()).isInstanceOf(StoreException.class);
    again.close();
  }

  @Test
  default void aWaiterThatWantsMoreThanThereIsWaitsUntilTheNumberIsRaised() {
    CompletableFuture<Lease> three = semaphore(2).acquireAsync(3);
    eventually().until(() -> !three.isDone() && semaphore(2).availablePermits() == 2);
    elsewhere(2).acquire(2).close();
    assertThat(three).isNotDone();
    elsewhere(2).setPermits(3);
    Lease lease = OtherThread.get(three);
    assertThat(elsewhere(2).tryAcquire()).isEmpty();
    lease.close();
    semaphore(2).setPermits(2);
  }

  @Test
  default void whoWantsMoreThanThereIsAfterAChangeGoesOnWaitingAndHoldsUpNobody() {
    DistributedSemaphore semaphore = semaphore(3);
    Lease all = semaphore.acquire(3);
    CompletableFuture<Lease> two = elsewhere(3).acquireAsync(2);
    eventually().until(() -> waiters() == 1);
    // one after the other, in any order
    var oneBehind = elsewhere(3).acquireAsync(1).thenCompose(Lease::closeAsync);
    var oneElsewhere = semaphore(3).acquireAsync(1).thenCompose(Lease::closeAsync);
    eventually().until(() -> waiters() == 3);
    semaphore.setPermits(1);
    all.close();
    OtherThread.get(oneBehind);
    OtherThread.get(oneElsewhere);
    assertThat(two).isNotDone();
    assertThat(OtherThread.get(elsewhere(3).acquireAsync(1))).satisfies(Lease::close);
    semaphore.setPermits(3);
    OtherThread.get(two).close();
    assertThat(semaphore.availablePermits()).isEqualTo(3);
  }

  @Test
  default void aWaiterForWhomTheNumberIsRaisedWaitsForThoseWhoWentBeforeIt() {
    semaphore(1).setPermits(2);
    CompletableFuture<Lease> three = semaphore(1).acquireAsync(3);
    Lease two = elsewhere(1).acquire(2);
    semaphore(1).setPermits(3);
    for (int i = 0; i < 20; i++) {
      assertThat(elsewhere(1).availablePermits()).isEqualTo(1);
    }
    assertThat(three).isNotDone();
    two.close();
    OtherThread.get(three).close();
    semaphore(1).setPermits(1);
  }

  @Test
  default void aWaiterThatWasPassedPermitsIsOutOfTheQueueWhenItHearsOfThem() {
    OtherThread other = otherThread();
    List<String> stale = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Lease held = semaphore(3).acquire(2);
      var waiting =
          other.start(
              () -> {
                try (Lease own = semaphore(3).acquire(2)) {
                  boolean empty = semaphore(3).tryAcquire().map(Lease::closeAsync).isEmpty();
                  return own.isValid() && empty;
                }
              });
      eventually().until(() -> elsewhere(3).info().waiters().size() == 1);
      held.close();
      if (OtherThread.get(waiting)) {
        stale.add("try " + i);
      }
    }
    assertThat(stale).as("one of three permits was free, and nobody else waited").isEmpty();
    eventually().until(() -> elsewhere(3).availablePermits() == 3);
  }

  @Test
  default void aWaiterThatWasPassedPermitsIsNotShownAsWaiting() {
    for (int i = 0; i < 20; i++) {
      Lease held = semaphore(3).acquire(2);
      CompletableFuture<Lease> waiting = semaphore(3).acquireAsync(2);
      eventually().until(() -> elsewhere(3).info().waiters().size() == 1);
      held.close();
      Lease own = OtherThread.get(waiting);
      assertThat(elsewhere(3).info().waiters()).isEmpty();
      own.close();
    }
  }
}
