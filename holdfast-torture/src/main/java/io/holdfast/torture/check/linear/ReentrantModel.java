package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Hold;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mutex that its owner may enter again. An inner entry is possible only inside the hold, an inner
 * exit only where there is an inner entry; the end of the hold ends all of them.
 */
public final class ReentrantModel implements Model<ReentrantModel.State> {
  /**
   * Who is inside, how often.
   *
   * @param hold the hold, null if it is free
   * @param depth the number of entries
   */
  public record State(@Nullable Hold hold, int depth) {}

  private static final State FREE = new State(null, 0);

  @Override
  public String name() {
    return "reentrant mutex";
  }

  @Override
  public State initial() {
    return FREE;
  }

  @Override
  public @Nullable State apply(State state, Step step) {
    if (step instanceof Step.Enter enter) {
      return state.hold() == null ? new State(enter.hold(), 1) : null;
    }
    if (step instanceof Step.EnterAgain again) {
      return state.hold() == again.hold() ? new State(again.hold(), state.depth() + 1) : null;
    }
    if (step instanceof Step.LeaveInner inner) {
      return state.hold() == inner.hold() && state.depth() > 1
          ? new State(inner.hold(), state.depth() - 1)
          : null;
    }
    if (step instanceof Step.Leave leave) {
      return state.hold() == leave.hold() ? FREE : null;
    }
    return state;
  }

  @Override
  public List<Hold> concerned(State state) {
    return state.hold() == null ? List.of() : List.of(state.hold());
  }

  @Override
  public String describe(State state) {
    return state.hold() == null
        ? "free"
        : "held by %s, entered %d x".formatted(state.hold().id(), state.depth());
  }
}
