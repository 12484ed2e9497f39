package io.holdfast.internal.local.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("gate")
@Timeout(600)
class LocalGateTest {
  private static final boolean FAIR = true;
  private static final boolean BARGING = false;
  private static final boolean BY_THREAD = true;
  private static final boolean BY_HANDLE = false;

  private final LocalGate gate = new LocalGate();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() throws InterruptedException {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(120, TimeUnit.SECONDS)).as("all threads ended").isTrue();
  }

  @Nested
  class StateWord {
    @Test
    void hasStatusInBits24To31HoldsInBits16To23AndTheGenerationBelow() {
      int once = GateState.enteredFrom(0);

      assertThat(once).isEqualTo(0x01_01_0001);
      assertThat(once + GateState.ONE_HOLD).isEqualTo(0x01_02_0001);
      assertThat(GateState.leavingFrom(once + GateState.ONE_HOLD)).isEqualTo(0x02_00_0001);
      assertThat(GateState.leftFrom(0x02_00_0001)).isEqualTo(0x00_00_0001);
    }

    @Test
    void isFreeOnlyWhenTheStatusIsZero() {
      assertThat(GateState.isFree(0)).isTrue();
      assertThat(GateState.isFree(0x00_00_FFFF)).isTrue();
      assertThat(GateState.isFree(0x01_01_0000)).isFalse();
      assertThat(GateState.isFree(0x02_00_0000)).isFalse();
    }

    @Test
    void isLockedNoMoreOnTheWayOut() {
      assertThat(GateState.isLocked(0x01_01_0000)).isTrue();
      assertThat(GateState.isLocked(0x02_00_0000)).isFalse();
      assertThat(GateState.isLocked(0)).isFalse();
    }

    @Test
    void keepsHoldsAndGenerationApart() {
      int state = 0x01_FF_FFFF;

      assertThat(GateState.holds(state)).isEqualTo(255);
      assertThat(GateState.generation(state)).isEqualTo(0xFFFF);
    }

    @Test
    void wrapsTheGenerationWithoutTouchingTheHolds() {
      assertThat(GateState.enteredFrom(0x00_00_FFFF)).isEqualTo(0x01_01_0000);
    }
  }

  @Nested
  class Reentry {
    @Test
    void goesTo255AndThe256thIsAnErrorThatChangesNothing() {
      int generation = gate.enter(BARGING, BY_THREAD);
      for (int holds = 2; holds <= 255; holds++) {
        assertThat(gate.reenter()).isTrue();
      }

      assertThatThrownBy(gate::reenter)
          .isExactlyInstanceOf(Error.class)
          .hasMessageContaining("Maximum lock count exceeded")
          .hasMessageContaining("255");

      assertThat(gate.holds()).isEqualTo(255);
      for (int exits = 1; exits <= 254; exits++) {
        assertThat(gate.exitNested()).isTrue();
      }
      assertThat(gate.exitNested()).as("the last one is left by exit()").isFalse();
      assertThat(gate.holds()).isEqualTo(1);
      gate.exit(generation);
      assertThat(gate.holds()).isZero();
    }

    @Test
    void isForTheOwnerOnly() {
      gate.enter(BARGING, BY_THREAD);

      assertThat(onAnotherThread(gate::reenter)).isFalse();
      assertThat(onAnotherThread(gate::exitNested)).isFalse();
      assertThat(onAnotherThread(gate::isEnteredByCurrentThread)).isFalse();
      assertThat(gate.holds()).isEqualTo(1);
    }

    @Test
    void isNotForHandles() {
      gate.enter(BARGING, BY_HANDLE);

      assertThat(gate.isEnteredByCurrentThread()).isFalse();
      assertThat(gate.reenter()).isFalse();
      assertThat(gate.tryEnter(BY_THREAD)).isEqualTo(-1);
    }

    @Test
    void isNotForThoseWhoAreOutside() {
      assertThat(gate.reenter()).isFalse();
      assertThat(gate.exitNested()).isFalse();
    }
  }

  @Nested
  class Threads {
    @Test
    void enterInOrderOfArrivalIfTheyAskForIt() throws Exception {
      int first = gate.enter(FAIR, BY_THREAD);
      List<Integer> order = new CopyOnWriteArrayList<>();
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int number = i;
        all.add(
            threads.submit(
                () -> {
                  int generation = gate.enter(FAIR, BY_THREAD);
                  order.add(number);
                  gate.exit(generation);
                }));
        await().until(() -> gate.waiters() == number + 1);
      }

      gate.exit(first);

      for (Future<?> one : all) {
        one.get();
      }
      assertThat(order).isSorted().hasSize(20);
    }

    @Test
    void giveUpWhenTheTimeIsOver() throws Exception {
      int generation = gate.enter(BARGING, BY_HANDLE);
      long start = System.nanoTime();

      int entered = gate.enter(BARGING, BY_THREAD, Duration.ofMillis(30).toNanos());

      assertThat(entered).isEqualTo(-1);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(30));
      assertThat(gate.hasWaiters()).isFalse();
      gate.exit(generation);
      assertThat(gate.tryEnter(BY_THREAD)).as("the next one gets in").isPositive();
    }

    @Test
    void doNotWaitWhenThereIsNoTime() throws Exception {
      gate.enter(BARGING, BY_HANDLE);

      assertThat(gate.enter(BARGING, BY_THREAD, 0)).isEqualTo(-1);
    }

    @Test
    void enterInTimeWhenTheGateOpens() throws Exception {
      int generation = gate.enter(BARGING, BY_THREAD);
      Future<Integer> waiting =
          threads.submit(() -> gate.enter(BARGING, BY_THREAD, Duration.ofHours(1).toNanos()));
      await().until(() -> gate.waiters() == 1);

      gate.exit(generation);

      assertThat(waiting.get()).isEqualTo(generation + 1);
    }

    @Test
    void stopWaitingWhenInterrupted() {
      int generation = gate.enter(BARGING, BY_HANDLE);
      assertInterruptEnds(() -> gate.enterInterruptibly(BARGING, BY_THREAD));
      assertInterruptEnds(() -> gate.enter(BARGING, BY_THREAD, Duration.ofHours(1).toNanos()));

      gate.exit(generation);
      assertThat(gate.tryEnter(BY_THREAD)).as("the next one gets in").isPositive();
    }

    @Test
    void keepTheInterruptWhenTheyWaitForAsLongAsItTakes() throws Exception {
      int generation = gate.enter(BARGING, BY_THREAD);
      AtomicReference<@Nullable Thread> waiting = new AtomicReference<>();
      Future<Boolean> interrupted =
          threads.submit(
              () -> {
                waiting.set(Thread.currentThread());
                gate.exit(gate.enter(BARGING, BY_THREAD));
                return Thread.interrupted();
              });
      await().until(() -> gate.waiters() == 1);

      interrupt(waiting);
      gate.exit(generation);

      assertThat(interrupted.get()).isTrue();
    }

    @Test
    void mayLeaveForSomebodyElse() {
      int generation = gate.enter(BARGING, BY_THREAD);

      onAnotherThread(
          () -> {
            gate.exit(generation);
            return true;
          });

      assertThat(gate.isEnteredByCurrentThread()).isFalse();
      assertThat(gate.holds()).isZero();
    }

    private void assertInterruptEnds(InterruptibleEntry entry) {
      AtomicReference<@Nullable Thread> waiting = new AtomicReference<>();
      Future<Integer> result =
          threads.submit(
              () -> {
                waiting.set(Thread.currentThread());
                return entry.enter();
              });
      await().until(() -> gate.waiters() == 1);
      interrupt(waiting);
      assertThatThrownBy(result::get).hasCauseInstanceOf(InterruptedException.class);
      assertThat(gate.hasWaiters()).isFalse();
    }

    private void interrupt(AtomicReference<@Nullable Thread> waiting) {
      Thread thread = waiting.get();
      assertThat(thread).isNotNull();
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  @Nested
  class Callbacks {
    @Test
    void comeAtOnceOnTheSameThreadWhenTheGateIsFree() {
      AtomicReference<@Nullable Thread> calledOn = new AtomicReference<>();

      gate.enterAsync(generation -> calledOn.set(Thread.currentThread()));

      assertThat(calledOn.get()).isSameAs(Thread.currentThread());
      assertThat(gate.holds()).isEqualTo(1);
    }

    @Test
    void comeInOrderOnTheThreadThatLeaves() {
      int generation = gate.enter(BARGING, BY_THREAD);
      List<String> calls = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        int number = i;
        gate.enterAsync(
            entered -> {
              calls.add(number + " on " + Thread.currentThread().getName());
              gate.exit(entered);
            });
      }
      assertThat(gate.waiters()).isEqualTo(5);

      gate.exit(generation);

      String here = Thread.currentThread().getName();
      assertThat(calls)
          .containsExactly(
              "0 on " + here, "1 on " + here, "2 on " + here, "3 on " + here, "4 on " + here);
      assertThat(gate.hasWaiters()).isFalse();
    }

    @Test
    void areNeverCalledOnceCancelled() {
      int generation = gate.enter(BARGING, BY_THREAD);
      AtomicInteger calls = new AtomicInteger();
      LocalGate.AsyncEntry entry = gate.enterAsync(entered -> calls.incrementAndGet());

      assertThat(entry.cancel()).isTrue();
      assertThat(gate.hasWaiters()).isFalse();
      gate.exit(generation);

      assertThat(calls).hasValue(0);
      assertThat(gate.holds()).isZero();
      assertThat(entry.cancel()).as("a second time").isFalse();
    }

    @Test
    void cannotBeCancelledOnceCalled() {
      LocalGate.AsyncEntry entry = gate.enterAsync(entered -> {});

      assertThat(entry.cancel()).isFalse();
      assertThat(gate.holds()).as("still inside").isEqualTo(1);
    }

    @Test
    void thatAreCancelledLetTheOthersPass() {
      int generation = gate.enter(BARGING, BY_THREAD);
      List<String> calls = new ArrayList<>();
      gate.enterAsync(entered -> leave(calls, "first", entered));
      LocalGate.AsyncEntry second = gate.enterAsync(entered -> leave(calls, "cancelled", entered));
      gate.enterAsync(entered -> leave(calls, "third", entered));

      second.cancel();
      gate.exit(generation);

      assertThat(calls).containsExactly("first", "third");
    }

    @Test
    void inAnyNumberMayLeaveAtOnceWithoutGoingDeepIntoTheStack() {
      int many = 100_000;
      int generation = gate.enter(BARGING, BY_THREAD);
      AtomicInteger calls = new AtomicInteger();
      for (int i = 0; i < many; i++) {
        gate.enterAsync(
            entered -> {
              calls.incrementAndGet();
              gate.exit(entered);
            });
      }

      gate.exit(generation);

      assertThat(calls).hasValue(many);
      assertThat(gate.holds()).isZero();
    }

    @Test
    void thatThrowDoNotKeepTheGateFromTheNext() {
      int generation = gate.enter(BARGING, BY_THREAD);
      gate.enterAsync(
          entered -> {
            gate.exit(entered);
            throw new IllegalStateException("thrown by a callback on purpose");
          });
      CompletableFuture<Integer> next = new CompletableFuture<>();
      gate.enterAsync(next::complete);

      try {
        gate.exit(generation);
      } catch (IllegalStateException e) {
        // whether the one who leaves hears of it does not matter here
      }
      gate.enterAsync(entered -> {}); // at the latest a newcomer makes the gate look again

      assertThat(next).isDone();
    }

    @Test
    void thatThrowInsideAreOutAndLetTheNextIn() {
      int generation = gate.enter(BARGING, BY_THREAD);
      gate.enterAsync(
          entered -> {
            throw new IllegalStateException("thrown by a callback on purpose");
          });
      CompletableFuture<Integer> next = new CompletableFuture<>();
      gate.enterAsync(next::complete);

      try {
        gate.exit(generation);
      } catch (IllegalStateException e) {
        // whether the one who leaves hears of it does not matter here
      }

      assertThat(next).isDone();
    }

    private void leave(List<String> calls, String name, int generation) {
      calls.add(name);
      gate.exit(generation);
    }
  }

  @Nested
  class Turns {
    @Test
    void comeToAThreadAfterACallbackHoweverManyCallbacksKeepComing() {
      for (int round = 0; round < 30; round++) {
        LocalGate gate = new LocalGate();
        List<String> order = new CopyOnWriteArrayList<>();
        AtomicInteger inside = new AtomicInteger(-1);
        gate.enterAsync(inside::set);
        CompletableFuture<Void> thread =
            CompletableFuture.runAsync(
                () -> {
                  int generation = gate.enter(BARGING, BY_THREAD);
                  order.add("thread");
                  gate.exit(generation);
                },
                threads);
        await().pollInterval(Duration.ofMillis(1)).until(() -> gate.waiters() == 1);
        gate.enterAsync(generation -> leave(gate, order, "newcomer", generation));
        gate.enterAsync(generation -> leave(gate, order, "newcomer", generation));

        gate.exit(inside.get());

        thread.join();
        assertThat(order).as("who came after the callback").startsWith("thread");
      }
    }

    @Test
    void comeToAThreadThatHasBeenWokenBeforeACallbackThatHasJustCome() {
      for (int round = 0; round < 30; round++) {
        LocalGate gate = new LocalGate();
        List<String> order = new CopyOnWriteArrayList<>();
        AtomicInteger inside = new AtomicInteger(-1);
        gate.enterAsync(inside::set);
        CompletableFuture<Void> thread =
            CompletableFuture.runAsync(
                () -> leave(gate, order, "thread", gate.enter(BARGING, BY_THREAD)), threads);
        await().pollInterval(Duration.ofMillis(1)).until(() -> gate.waiters() == 1);
        gate.enterAsync(generation -> leave(gate, order, "next", generation));

        gate.exit(inside.get());
        gate.enterAsync(generation -> leave(gate, order, "newcomer", generation));

        thread.join();
        assertThat(order).as("who came after the callback").startsWith("thread");
      }
    }

    @Test
    void comeToACallbackHoweverManyThreadsKeepComing() {
      int first = gate.enter(BARGING, BY_THREAD);
      CompletableFuture<Integer> callback = new CompletableFuture<>();
      gate.enterAsync(callback::complete);
      AtomicInteger running = new AtomicInteger(4);
      for (int i = 0; i < 4; i++) {
        threads.submit(
            () -> {
              while (!callback.isDone() && !Thread.currentThread().isInterrupted()) {
                gate.exit(gate.enter(BARGING, BY_THREAD));
              }
              running.decrementAndGet();
              return null;
            });
      }
      await().until(() -> gate.waiters() == 5);

      gate.exit(first);

      await().until(callback::isDone);
      gate.exit(callback.join());
      await().until(() -> running.get() == 0);
    }

    @Test
    void passFromAThreadThatGivesUpToACallback() {
      AtomicInteger inside = new AtomicInteger(-1);
      gate.enterAsync(inside::set); // from here on it is the threads' turn
      int first = inside.get();
      Future<Integer> givesUp = threads.submit(() -> gate.enterInterruptibly(BARGING, BY_THREAD));
      await().until(() -> gate.waiters() == 1);
      gate.enterAsync(inside::set);

      givesUp.cancel(true);
      await().until(() -> gate.waiters() == 1);
      assertThat(inside).as("nobody in while the first is there").hasValue(first);
      gate.exit(first);

      assertThat(inside).hasValue(first + 1);
    }

    private void leave(LocalGate gate, List<String> order, String name, int generation) {
      order.add(name);
      gate.exit(generation);
    }
  }

  @Nested
  class Eviction {
    @Test
    void endsAllEntriesOfTheOwnerAtOnce() {
      int generation = gate.enter(BARGING, BY_THREAD);
      gate.reenter();
      gate.reenter();

      onAnotherThread(
          () -> {
            gate.exit(generation);
            return true;
          });

      assertThat(gate.holds()).isZero();
      assertThat(gate.isEnteredByCurrentThread()).isFalse();
      assertThat(gate.reenter()).as("enter again").isFalse();
      assertThat(gate.exitNested()).as("leave").isFalse();
    }

    @Test
    void leavesTheFormerOwnerWithoutPowerOverTheNext() {
      int former = gate.enter(BARGING, BY_THREAD);
      int next =
          onAnotherThread(
              () -> {
                gate.exit(former);
                return gate.enter(BARGING, BY_THREAD);
              });

      gate.exit(former);

      assertThat(next).isNotEqualTo(former);
      assertThat(gate.holds()).as("the next is still inside").isEqualTo(1);
      assertThat(gate.isEnteredByCurrentThread()).isFalse();
      assertThat(gate.reenter()).isFalse();
      assertThat(gate.exitNested()).isFalse();
      assertThat(gate.tryEnter(BY_THREAD)).isEqualTo(-1);
    }

    @Test
    void wakesWhoeverWaits() throws Exception {
      int generation = gate.enter(BARGING, BY_THREAD);
      Future<Integer> waiting = threads.submit(() -> gate.enter(BARGING, BY_THREAD));
      await().until(() -> gate.waiters() == 1);

      gate.exit(generation);

      assertThat(waiting.get()).isEqualTo(generation + 1);
    }
  }

  @Nested
  class Generations {
    @Test
    void wrapAfter65536EntriesAndTellOneEntryFromAnotherAllTheWay() {
      int first = gate.enter(BARGING, BY_THREAD);
      int former = first;
      gate.exit(first);
      for (int i = 1; i < 65_536; i++) {
        int next = gate.tryEnter(BY_THREAD);
        assertThat(next).isEqualTo((first + i) & 0xFFFF);
        gate.exit(former);
        assertThat(gate.holds()).as("inside after a stale exit").isEqualTo(1);
        gate.exit(next);
        assertThat(gate.holds()).isZero();
        former = next;
      }

      assertThat(gate.tryEnter(BY_THREAD)).as("all the way round").isEqualTo(first);
      assertThat(gate.reenter()).isTrue();
      assertThat(gate.holds()).isEqualTo(2);
    }
  }

  @FunctionalInterface
  private interface InterruptibleEntry {
    int enter() throws InterruptedException;
  }

  private <T> T onAnotherThread(Callable<T> task) {
    try {
      return threads.submit(task).get();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
