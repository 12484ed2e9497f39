package io.holdfast.zookeeper.backend;

import java.util.function.Consumer;

/** A watch that remembers what it saw. It sees one thing only. */
final class OneShotWatch implements Session.Watch {
  private final Consumer<OneShotWatch> news;
  private volatile boolean seen;
  private volatile boolean deleted;

  OneShotWatch(Consumer<OneShotWatch> news) {
    this.news = news;
  }

  @Override
  public void fired(boolean nodeDeleted) {
    deleted = nodeDeleted;
    seen = true;
    news.accept(this);
  }

  boolean hasFired() {
    return seen;
  }

  boolean sawDeletion() {
    return deleted;
  }
}
