package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Hold;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A mutex that is granted in the order in which processes came, where that order is certain: see
 * {@link FairOrder}. A process that has it may pass it on among its own threads, within a bound;
 * therefore a grant to the process that had it last is not an overtaking.
 */
public final class FairModel implements Model<FairModel.State> {
  /**
   * Who holds, who held last, and which of those whose turn counts have had it.
   *
   * @param hold the hold, null if it is free
   * @param last the process that obtained it last
   * @param served ids of holds
   */
  public record State(@Nullable Hold hold, String last, Set<String> served) {}

  private final Set<String> counting;

  /** Remembers only the holds that some other must come after. */
  public FairModel(Set<String> counting) {
    this.counting = Set.copyOf(counting);
  }

  @Override
  public String name() {
    return "fair order";
  }

  @Override
  public State initial() {
    return new State(null, "", Set.of());
  }

  @Override
  public @Nullable State apply(State state, Step step) {
    if (step instanceof Step.Enter enter) {
      Hold hold = enter.hold();
      boolean turn =
          state.served().containsAll(enter.after()) || state.last().equals(hold.client());
      return state.hold() == null && turn
          ? new State(hold, hold.client(), served(state, hold))
          : null;
    }
    if (step instanceof Step.Leave leave) {
      return state.hold() == leave.hold() ? new State(null, state.last(), state.served()) : null;
    }
    return state;
  }

  private Set<String> served(State state, Hold hold) {
    if (!counting.contains(hold.id())) {
      return state.served();
    }
    Set<String> more = new HashSet<>(state.served());
    more.add(hold.id());
    return more;
  }

  @Override
  public List<Hold> concerned(State state) {
    return state.hold() == null ? List.of() : List.of(state.hold());
  }

  @Override
  public String describe(State state) {
    return (state.hold() == null ? "free" : "held by " + state.hold().id())
        + ", last obtained by "
        + state.last();
  }
}
