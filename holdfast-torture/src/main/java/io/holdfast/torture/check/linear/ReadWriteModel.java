package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Hold;
import java.util.Set;

/** Any number of readers, or one writer; the thread that writes may read as well. */
public final class ReadWriteModel extends ShareModel {
  @Override
  public String name() {
    return "read-write";
  }

  @Override
  boolean fits(Set<Hold> holders, Hold added) {
    return holders.stream().noneMatch(added::excludes);
  }
}
