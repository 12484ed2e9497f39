package io.holdfast.jdbc.backend;

import io.holdfast.spi.BackendContext;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What the backend does when its listener begins to listen, stops, or turns out to be deaf: rows
 * are looked at meanwhile, and afterwards whoever waits looks again.
 */
final class Listening implements PostgresListener.State {
  private final BackendContext context;
  private final Interests interests;
  private final SignalDispatcher news;
  private final DatabaseClock clock;
  private final Poller poller;

  private final Supplier<CompletionStage<?>> ping;

  // All guarded by this.
  private boolean listenedBefore;
  private boolean lossTold;
  private int changes;

  Listening(
      BackendContext context,
      Interests interests,
      SignalDispatcher news,
      DatabaseClock clock,
      Poller poller,
      Supplier<CompletionStage<?>> ping) {
    this.context = context;
    this.interests = interests;
    this.news = news;
    this.clock = clock;
    this.poller = poller;
    this.ping = ping;
  }

  @Override
  public void received(String letter) {
    news.received(letter);
  }

  @Override
  public synchronized void listening(boolean now) {
    changes++;
    if (!now) {
      listenedBefore = true;
      clock.reset(); // it may be another server next time
      poller.takeOver();
    } else if (lossTold) {
      lossTold = false;
      context.signals().messagesBack();
    } else if (!listenedBefore) {
      interests.all().forEach(each -> context.signals().changed(each.owner()));
    } else if (!interests.isEmpty()) {
      context.signals().reconnected();
    }
  }

  /** Told if the database answers: one that is away as a whole is found, and told, by others. */
  @Override
  public void deaf(String why) {
    int known;
    synchronized (this) {
      known = changes + 1; // it stops listening next
    }
    ping.get().thenRun(() -> tellLoss(why, known));
  }

  private synchronized void tellLoss(String why, int known) {
    if (!lossTold && changes <= known && !interests.isEmpty()) {
      lossTold = true;
      context.signals().messagesLost(why);
    }
  }

  @Override
  public boolean isAnybodyInterested() {
    return !interests.isEmpty();
  }
}
