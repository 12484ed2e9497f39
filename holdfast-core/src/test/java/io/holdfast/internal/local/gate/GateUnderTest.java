package io.holdfast.internal.local.gate;

import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/** What the suites of {@link LocalGateLincheckTest} need of a gate, right or broken. */
interface GateUnderTest {
  int enter(boolean fair);

  int enter(long nanos) throws InterruptedException;

  int enterInterruptibly() throws InterruptedException;

  int tryEnter();

  /** Returns what cancels the callback. */
  BooleanSupplier enterAsync(IntConsumer inside);

  boolean reenter();

  boolean exitNested();

  void exit(int generation);

  boolean isEnteredByCurrentThread();

  int holds();

  boolean hasWaiters();

  /** The gate that is shipped. */
  static GateUnderTest real() {
    LocalGate gate = new LocalGate();
    return new GateUnderTest() {
      @Override
      public int enter(boolean fair) {
        return gate.enter(fair, true);
      }

      @Override
      public int enter(long nanos) throws InterruptedException {
        return gate.enter(false, true, nanos);
      }

      @Override
      public int enterInterruptibly() throws InterruptedException {
        return gate.enterInterruptibly(false, true);
      }

      @Override
      public int tryEnter() {
        return gate.tryEnter(true);
      }

      @Override
      public BooleanSupplier enterAsync(IntConsumer inside) {
        return gate.enterAsync(inside)::cancel;
      }

      @Override
      public boolean reenter() {
        return gate.reenter();
      }

      @Override
      public boolean exitNested() {
        return gate.exitNested();
      }

      @Override
      public void exit(int generation) {
        gate.exit(generation);
      }

      @Override
      public boolean isEnteredByCurrentThread() {
        return gate.isEnteredByCurrentThread();
      }

      @Override
      public int holds() {
        return gate.holds();
      }

      @Override
      public boolean hasWaiters() {
        return gate.hasWaiters();
      }
    };
  }
}
