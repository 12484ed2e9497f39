package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Hold;
import java.util.Set;

/** What an operation does to its model, with the result that it had. */
public sealed interface Step {
  /**
   * Somebody obtains something.
   *
   * @param hold what it has from then on
   * @param after the ids of holds that must have been granted before, where order is promised
   */
  record Enter(Hold hold, Set<String> after) implements Step {
    @Override
    public String toString() {
      return hold.client() + " obtains it as " + hold.id();
    }
  }

  /** A hold ends: it is given back, or expires. */
  record Leave(Hold hold) implements Step {
    @Override
    public String toString() {
      return "the hold " + hold.id() + " ends";
    }
  }

  /** The owner of a hold enters it once more. */
  record EnterAgain(Hold hold) implements Step {
    @Override
    public String toString() {
      return "the hold " + hold.id() + " is entered again";
    }
  }

  /** The owner of a hold leaves an inner entry. */
  record LeaveInner(Hold hold) implements Step {
    @Override
    public String toString() {
      return "an inner entry of " + hold.id() + " is left";
    }
  }

  /** A latch is set, or refuses because it is set. */
  record SetCount(long count, boolean done) implements Step {}

  /** A latch is counted down; left is -2 if not known, -1 if there was nothing to count. */
  record CountDown(long left) implements Step {}

  /** Somebody passes a latch. */
  record Pass() implements Step {}

  /** The store forgets what it knows. */
  record Forget() implements Step {}
}
