package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Hold;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a thing behaves when only one operation happens at a time.
 *
 * @param <S> its states: immutable, with {@code equals} and {@code hashCode}
 */
public interface Model<S> {
  /** The name, for reports. */
  String name();

  /** The state in which everything begins. */
  S initial();

  /** The state after the step, or null if it cannot happen in this state with this result. */
  @Nullable S apply(S state, Step step);

  /** The holds that a state has, for reports. */
  default List<Hold> concerned(S state) {
    return List.of();
  }

  /** A state in words. */
  default String describe(S state) {
    return state.toString();
  }
}
