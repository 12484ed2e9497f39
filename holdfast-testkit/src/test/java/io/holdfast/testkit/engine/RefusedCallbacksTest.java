package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockLoss;
import io.holdfast.LockManager;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The executor for callbacks belongs to the application and may be full, closed or broken. That is
 * no reason for a lock to stay locked, to be lost, or for an unlock to fail.
 */
@Isolated
@Timeout(600)
class RefusedCallbacksTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final Duration LEASE = Duration.ofSeconds(9);

  private final TwoProcesses processes = new TwoProcesses();
  private Class<? extends RuntimeException> refusal = RejectedExecutionException.class;
  private boolean refusing;
  private final LockManager manager =
      processes
          .manager()
          .defaults(LockConfig.builder().leaseTime(LEASE).build())
          .callbackExecutor(this::execute)
          .build();
  private final DistributedLock lock = manager.getLock("k");

  private void execute(Runnable task) {
    if (refusing) {
      throw refusal == RejectedExecutionException.class
          ? new RejectedExecutionException("full, on purpose")
          : new IllegalStateException("broken, on purpose");
    }
    task.run();
  }

  @AfterEach
  void close() {
    refusing = false;
    manager.close();
    processes.close();
  }

  @ParameterizedTest
  @ValueSource(classes = {RejectedExecutionException.class, IllegalStateException.class})
  void aFreeLockArrivesAllTheSame(Class<? extends RuntimeException> how) {
    refuse(how);
    CompletableFuture<Lease> asked = lock.acquireAsync();
    assertThat(asked).succeedsWithin(SOON);
    asked.join().close();

    refusing = false;
    assertLockWorks();
  }

  @ParameterizedTest
  @ValueSource(classes = {RejectedExecutionException.class, IllegalStateException.class})
  void theOneWhoHandsTheLockOnIsNotBlamedAndTheNextOneGetsIt(
      Class<? extends RuntimeException> how) {
    Lease first = lock.acquire();
    CompletableFuture<Lease> second = lock.acquireAsync();
    CompletableFuture<Lease> third = lock.acquireAsync();

    refuse(how);
    assertThatCode(first::close).doesNotThrowAnyException();
    refusing = false;

    assertThat(second).succeedsWithin(SOON);
    second.join().close();
    assertThat(third).succeedsWithin(SOON);
    third.join().close();
    assertLockWorks();
  }

  @ParameterizedTest
  @ValueSource(classes = {RejectedExecutionException.class, IllegalStateException.class})
  void aWaitThatIsOverIsToldAllTheSame(Class<? extends RuntimeException> how) {
    try (Lease held = processes.there.getLock("k").acquire()) {
      assertThat(held.isValid()).isTrue();
      CompletableFuture<Lease> waiting = lock.waitUpTo(Duration.ofSeconds(1)).acquireAsync();
      refuse(how);
      assertThatCode(() -> processes.clock.advance(Duration.ofSeconds(2)))
          .as("on the timer thread of all locks")
          .doesNotThrowAnyException();
      refusing = false;
      assertThatThrownBy(() -> waiting.get(120, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(LockTimeoutException.class);
    }
    assertLockWorks();
  }

  @ParameterizedTest
  @ValueSource(classes = {RejectedExecutionException.class, IllegalStateException.class})
  void anAsynchronousCloseIsToldAllTheSame(Class<? extends RuntimeException> how) {
    Lease lease = lock.acquire();
    refuse(how);
    CompletableFuture<Void> closed = lease.closeAsync();
    refusing = false;
    assertThat(closed).succeedsWithin(SOON);
    assertLockWorks();
  }

  @ParameterizedTest
  @ValueSource(classes = {RejectedExecutionException.class, IllegalStateException.class})
  void aLeaseThatRunsOutDoesNotStopTheRenewalOfOthers(Class<? extends RuntimeException> how)
      throws InterruptedException {
    List<Lease> others = acquireMany();
    CompletableFuture<LockLoss> told = new CompletableFuture<>();
    Lease ending = lock.leaseFor(Duration.ofSeconds(1)).acquire().onLost(told::complete);

    refuse(how);
    advanceAsATimerDoes(Duration.ofSeconds(2));
    refusing = false;
    advanceAsATimerDoes(LEASE.multipliedBy(5));

    assertThat(ending.isValid()).isFalse();
    assertThat(others).allMatch(Lease::isValid);
    assertThat(told).succeedsWithin(SOON);
    others.forEach(Lease::close);
  }

  @ParameterizedTest
  @ValueSource(classes = {RejectedExecutionException.class, IllegalStateException.class})
  void lossesThatShowInARenewalDoNotStopTheRenewalOfOthersInTheSameBatch(
      Class<? extends RuntimeException> how) {
    List<Lease> others = acquireMany();
    List<CompletableFuture<LockLoss>> told = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      CompletableFuture<LockLoss> loss = new CompletableFuture<>();
      told.add(loss);
      manager.getLock("gone-" + i).acquire().onLost(loss::complete);
      processes.memory.remove("gone-" + i);
    }

    refuse(how);
    advanceAsATimerDoes(LEASE.dividedBy(2)); // the first renewal
    refusing = false;
    advanceAsATimerDoes(LEASE.multipliedBy(5));

    assertThat(others).allMatch(Lease::isValid);
    assertThat(told).allSatisfy(loss -> assertThat(loss).succeedsWithin(SOON));
    others.forEach(Lease::close);
  }

  private List<Lease> acquireMany() {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      leases.add(manager.getLock("other-" + i).acquire());
    }
    return leases;
  }

  /** The real timer thread logs what goes wrong in a task and goes on. */
  private void advanceAsATimerDoes(Duration by) {
    long end = processes.clock.nanoTime() + by.toNanos();
    while (processes.clock.nanoTime() < end) {
      try {
        processes.clock.advance(Duration.ofNanos(end - processes.clock.nanoTime()));
      } catch (RuntimeException e) {
        assertThat(e).isInstanceOf(refusal); // goes on
      }
    }
  }

  private void refuse(Class<? extends RuntimeException> how) {
    refusal = how;
    refusing = true;
  }

  private void assertLockWorks() {
    try (Lease there = processes.there.getLock("k").tryAcquire().orElseThrow()) {
      assertThat(there.isValid()).isTrue();
    }
    CompletableFuture<Lease> again = lock.acquireAsync();
    assertThat(again).succeedsWithin(SOON);
    again.join().close();
    assertThat(processes.memory.size()).isZero();
  }
}
