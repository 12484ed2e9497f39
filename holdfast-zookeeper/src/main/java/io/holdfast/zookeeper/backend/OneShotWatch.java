package io.holdfast.zookeeper.backend;

import java.util.function.Consumer;

/** A watch that remembers the one event that it sees. */
final class OneShotWatch implements Session.Watch {
  private final Consumer<OneShotWatch> listener;
  private volatile boolean fired;
  private volatile boolean deleted;

  OneShotWatch(Consumer<OneShotWatch> listener) {
    this.listener = listener;
  }

  @Override
  public void fired(boolean nodeDeleted) {
    deleted = nodeDeleted;
    fired = true;
    listener.accept(this);
  }

  boolean hasFired() {
    return fired;
  }

  boolean sawDeletion() {
    return deleted;
  }
}
