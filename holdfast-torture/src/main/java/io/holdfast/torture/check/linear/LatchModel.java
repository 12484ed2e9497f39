package io.holdfast.torture.check.linear;

import org.jspecify.annotations.Nullable;

/** A count that can be set when it is zero, counted down when it is not, and passed at zero. */
public final class LatchModel implements Model<Long> {
  /** A result that is not known. */
  public static final long UNKNOWN = -2;

  /** A result: there was nothing to count. */
  public static final long NOTHING = -1;

  @Override
  public String name() {
    return "latch";
  }

  @Override
  public Long initial() {
    return 0L;
  }

  @Override
  public @Nullable Long apply(Long count, Step step) {
    if (step instanceof Step.SetCount set) {
      if (set.done()) {
        return count == 0 ? set.count() : null;
      }
      return count > 0 ? count : null;
    }
    if (step instanceof Step.CountDown down) {
      if (count == 0) {
        return down.left() == NOTHING ? count : null;
      }
      return down.left() == UNKNOWN || down.left() == count - 1 ? Long.valueOf(count - 1) : null;
    }
    if (step instanceof Step.Pass) {
      return count == 0 ? count : null;
    }
    return step instanceof Step.Forget ? Long.valueOf(0) : count;
  }

  @Override
  public String describe(Long count) {
    return "a count of " + count;
  }
}
