package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Hold;
import java.util.Set;

/** So many permits, of which each holder has some. */
public final class PermitsModel extends ShareModel {
  @Override
  public String name() {
    return "permits";
  }

  @Override
  boolean fits(Set<Hold> holders, Hold added) {
    long taken = holders.stream().mapToLong(Hold::amount).sum();
    return taken + added.amount() <= added.limit();
  }
}
