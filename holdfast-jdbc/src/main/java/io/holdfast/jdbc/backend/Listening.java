package io.holdfast.jdbc.backend;

import io.holdfast.spi.BackendContext;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Reacts when the listener of this process begins to listen, stops, or receives no echo: rows are
 * polled meanwhile, and afterwards every waiter tries again.
 */
final class Listening implements PostgresListener.State {
  private final BackendContext context;
  private final Interests interests;
  private final SignalDispatcher dispatcher;
  private final DatabaseClock clock;
  private final Poller poller;

  private final Supplier<CompletionStage<?>> ping;

  // All guarded by this.
  private boolean listenedBefore;
  private boolean lossReported;
  private int changes;

  Listening(
      BackendContext context,
      Interests interests,
      SignalDispatcher dispatcher,
      DatabaseClock clock,
      Poller poller,
      Supplier<CompletionStage<?>> ping) {
    this.context = context;
    this.interests = interests;
    this.dispatcher = dispatcher;
    this.clock = clock;
    this.poller = poller;
    this.ping = ping;
  }

  @Override
  public void received(String payload) {
    dispatcher.received(payload);
  }

  @Override
  public synchronized void listening(boolean now) {
    changes++;
    if (!now) {
      listenedBefore = true;
      clock.reset(); // the next connection may lead to another server
      poller.takeOver();
    } else if (lossReported) {
      lossReported = false;
      context.signals().messagesBack();
    } else if (!listenedBefore) {
      interests.all().forEach(each -> context.signals().changed(each.owner()));
    } else if (!interests.isEmpty()) {
      context.signals().reconnected();
    }
  }

  /** Reported only if the database answers: an outage of the database is detected elsewhere. */
  @Override
  public void noEcho(String why) {
    int known;
    synchronized (this) {
      known = changes + 1; // the listener stops listening next
    }
    ping.get().thenRun(() -> reportLoss(why, known));
  }

  private synchronized void reportLoss(String why, int known) {
    if (!lossReported && changes <= known && !interests.isEmpty()) {
      lossReported = true;
      context.signals().messagesLost(why);
    }
  }

  @Override
  public boolean isAnybodyInterested() {
    return !interests.isEmpty();
  }
}
