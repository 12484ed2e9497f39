package io.holdfast.internal.local.gate;

import io.holdfast.internal.lease.Hold;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/**
 * What {@link LocalGateLincheckTest} lets run against itself. Each operation goes in, changes
 * something that only the gate protects, and goes out again, so all of them end in any order and a
 * wake-up that is lost shows as a deadlock. Lincheck wants a class without parameters per gate,
 * hence the small subclasses there.
 */
public final class GateSuites {
  private GateSuites() {}

  /**
   * Everyone gets a turn. Each operation returns the count it made; only one after the other gives
   * results that Lincheck can put in a row.
   */
  public abstract static class Turns {
    private final GateUnderTest gate;
    private int count;

    Turns(GateUnderTest gate) {
      this.gate = gate;
    }

    @Operation
    public int byThread() {
      return countAndExit(gate.enter(false));
    }

    @Operation
    public int byThreadInOrder() {
      return countAndExit(gate.enter(true));
    }

    @Operation
    public int byThreadThatEntersTwice() {
      int generation = gate.enter(false);
      count++;
      require(gate.reenter() && gate.holds() == 2, "could not enter again");
      count++;
      require(gate.exitNested() && !gate.exitNested(), "could not leave one of two");
      require(gate.isEnteredByCurrentThread(), "left too early");
      return countAndExit(generation);
    }

    @Operation
    public int byCallback() {
      CompletableFuture<Integer> counted = new CompletableFuture<>();
      gate.enterAsync(generation -> counted.complete(countAndExit(generation)));
      return counted.join();
    }

    private int countAndExit(int generation) {
      int counted = ++count;
      gate.exit(generation);
      return counted;
    }

    @Validate
    public void endsFree() {
      requireFree(gate);
    }
  }

  /**
   * Some do not wait to the end: time-out, interrupt, cancellation. They may or may not get in, so
   * there is nothing to put in a row; what must hold is checked at the end.
   */
  public abstract static class GivingUp {
    private static final long SHORT = 1_000;

    private final GateUnderTest gate;
    private final AtomicReference<@Nullable Thread> interruptible = new AtomicReference<>();
    private final AtomicInteger entries = new AtomicInteger();
    private final AtomicInteger callbacksToCome = new AtomicInteger();
    private final AtomicReference<@Nullable String> wrong = new AtomicReference<>();
    private int count;

    GivingUp(GateUnderTest gate) {
      this.gate = gate;
    }

    @Operation
    public void byThread() {
      countAndExit(gate.enter(false));
    }

    @Operation
    public void byThreadThatTries() {
      countAndExit(gate.tryEnter());
    }

    @Operation
    public void byThreadWithLittleTime() throws InterruptedException {
      countAndExit(gate.enter(SHORT));
    }

    @Operation
    public void byThreadThatMayBeInterrupted() {
      interruptible.set(Thread.currentThread());
      try {
        countAndExit(gate.enterInterruptibly());
      } catch (InterruptedException e) {
        // that is one of the two ways out
      }
      interruptible.set(null);
      boolean tooLate = Thread.interrupted();
      if (tooLate && gate.isEnteredByCurrentThread()) {
        wrong.set("still inside after an interrupt");
      }
    }

    @Operation
    public void interrupt() {
      Thread waiting = interruptible.getAndSet(null);
      if (waiting != null) {
        waiting.interrupt();
      }
    }

    @Operation
    public void byCallbacks() {
      callbacksToCome.addAndGet(2);
      gate.enterAsync(this::calledBack);
      gate.enterAsync(this::calledBack);
    }

    @Operation
    public void byCallbackThatIsCancelled() {
      AtomicBoolean called = new AtomicBoolean();
      AtomicBoolean cancelled = new AtomicBoolean();
      BooleanSupplier cancel =
          gate.enterAsync(
              generation -> {
                called.set(true);
                requireNotBoth(called, cancelled);
                countAndExit(generation);
              });
      cancelled.set(cancel.getAsBoolean());
      requireNotBoth(called, cancelled);
    }

    private void requireNotBoth(AtomicBoolean called, AtomicBoolean cancelled) {
      if (called.get() && cancelled.get()) {
        wrong.set("called and cancelled");
      }
    }

    private void calledBack(int generation) {
      callbacksToCome.decrementAndGet();
      countAndExit(generation);
    }

    private void countAndExit(int generation) {
      if (generation >= 0) {
        count++;
        LockSupport.parkNanos(1); // long enough for those with little time to give up
        entries.incrementAndGet();
        gate.exit(generation);
      }
    }

    @Validate
    public void endsFreeWithNobodyForgotten() {
      require(wrong.get() == null, wrong.get());
      requireFree(gate);
      require(callbacksToCome.get() == 0, "a callback was forgotten");
      require(count == entries.get(), "two were inside at once");
    }
  }

  /**
   * Owners are put out while they enter again. As {@link Hold} sees to it, each generation is left
   * once: by its owner or by the one who puts it out.
   */
  public abstract static class Evictions {
    private static final int NOBODY = -1;

    private final GateUnderTest gate;
    private final AtomicInteger evictable = new AtomicInteger(NOBODY);
    private final AtomicInteger evicted = new AtomicInteger(NOBODY);
    private final AtomicInteger keptByOwner = new AtomicInteger();
    private final AtomicReference<@Nullable String> wrong = new AtomicReference<>();
    private int count;

    Evictions(GateUnderTest gate) {
      this.gate = gate;
    }

    @Operation
    public void own() {
      int generation = gate.enter(false);
      evictable.set(generation);
      if (gate.reenter()) {
        gate.exitNested();
      }
      boolean mine = evictable.compareAndSet(generation, NOBODY);
      if (mine) {
        countInside();
        gate.exit(generation);
      } else if (evicted.get() == generation && gate.reenter()) {
        wrong.set("entered again after eviction");
      }
      gate.exit(generation); // once more than allowed: must not touch a later owner
    }

    private void countInside() {
      if (!gate.isEnteredByCurrentThread() || !gate.reenter() || !gate.exitNested()) {
        wrong.set("put out by somebody else's eviction");
      }
      keptByOwner.incrementAndGet();
      count++;
    }

    @Operation
    public void evict() {
      int generation = evictable.getAndSet(NOBODY);
      if (generation != NOBODY) {
        gate.exit(generation);
        evicted.set(generation);
      }
    }

    @Operation
    public void byCallback() {
      gate.enterAsync(
          generation -> {
            keptByOwner.incrementAndGet();
            count++;
            gate.exit(generation);
          });
    }

    @Validate
    public void endsFreeWithEveryCount() {
      require(wrong.get() == null, wrong.get());
      requireFree(gate);
      require(count == keptByOwner.get(), "two were inside at once");
    }
  }

  /**
   * One generation, inside from the start, is left by several at once. {@link Hold} does not let
   * that happen; if it did, those who come too late should still touch nobody.
   */
  public abstract static class Leaving {
    private final GateUnderTest gate;
    private final AtomicReference<@Nullable String> wrong = new AtomicReference<>();
    private int first;

    Leaving(GateUnderTest gate) {
      this.gate = gate;
      gate.enterAsync(generation -> first = generation);
    }

    @Operation
    public void leave() {
      gate.exit(first);
    }

    @Operation
    public void leaveAndOwn() {
      gate.exit(first);
      int generation = gate.enter(false);
      if (!gate.isEnteredByCurrentThread()) {
        wrong.set("put out by somebody who left before");
      }
      gate.exit(generation);
    }

    @Validate
    public void endsFreeWithNobodyPutOut() {
      require(wrong.get() == null, wrong.get());
      requireFree(gate);
    }
  }

  private static void requireFree(GateUnderTest gate) {
    require(gate.holds() == 0, "somebody is still inside");
    require(!gate.hasWaiters(), "somebody still waits");
  }

  private static void require(boolean condition, @Nullable String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }
}
