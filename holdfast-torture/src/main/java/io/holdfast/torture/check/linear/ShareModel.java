package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Hold;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What holders have at a time, as far as it fits: one, any number of readers or one writer (who may
 * read), or as many permits as there are. Subclasses say what fits.
 */
abstract class ShareModel implements Model<Set<Hold>> {
  /** True if the new one may be beside those. */
  abstract boolean fits(Set<Hold> holders, Hold added);

  @Override
  public Set<Hold> initial() {
    return Set.of();
  }

  @Override
  public @Nullable Set<Hold> apply(Set<Hold> holders, Step step) {
    if (step instanceof Step.Enter enter) {
      if (!fits(holders, enter.hold())) {
        return null;
      }
      Set<Hold> more = new HashSet<>(holders);
      more.add(enter.hold());
      return more;
    }
    if (step instanceof Step.Leave leave) {
      if (!holders.contains(leave.hold())) {
        return null;
      }
      Set<Hold> fewer = new HashSet<>(holders);
      fewer.remove(leave.hold());
      return fewer;
    }
    return holders;
  }

  @Override
  public List<Hold> concerned(Set<Hold> holders) {
    return List.copyOf(holders);
  }

  @Override
  public String describe(Set<Hold> holders) {
    return holders.isEmpty()
        ? "free"
        : "held by " + holders.stream().map(Hold::id).sorted().collect(Collectors.joining(" and "));
  }
}
