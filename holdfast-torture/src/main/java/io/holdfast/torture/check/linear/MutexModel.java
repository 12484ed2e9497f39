package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Hold;
import java.util.Set;

/**
 * A mutex that knows its owner: obtained only when free, and freed only by the end of that hold.
 */
public final class MutexModel extends ShareModel {
  @Override
  public String name() {
    return "mutex";
  }

  @Override
  boolean fits(Set<Hold> holders, Hold added) {
    return holders.isEmpty();
  }
}
