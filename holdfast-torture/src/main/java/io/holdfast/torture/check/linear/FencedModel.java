package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Hold;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mutex whose tokens grow with every grant. A hold whose token is not known, or not known to be
 * new, may have any.
 */
public final class FencedModel implements Model<FencedModel.State> {
  /**
   * Who holds, and the largest token that was given.
   *
   * @param hold the hold, null if it is free
   * @param token the token
   */
  public record State(@Nullable Hold hold, long token) {}

  @Override
  public String name() {
    return "fenced mutex";
  }

  @Override
  public State initial() {
    return new State(null, 0);
  }

  @Override
  public @Nullable State apply(State state, Step step) {
    if (step instanceof Step.Enter enter) {
      long token = enter.hold().orderedToken();
      boolean grows = token == 0 || token > state.token();
      return state.hold() == null && grows
          ? new State(enter.hold(), Math.max(token, state.token()))
          : null;
    }
    if (step instanceof Step.Leave leave) {
      return state.hold() == leave.hold() ? new State(null, state.token()) : null;
    }
    return state;
  }

  @Override
  public List<Hold> concerned(State state) {
    return state.hold() == null ? List.of() : List.of(state.hold());
  }

  @Override
  public String describe(State state) {
    return "%s, last token %d"
        .formatted(state.hold() == null ? "free" : "held by " + state.hold().id(), state.token());
  }
}
