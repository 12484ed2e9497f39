package io.holdfast.redis.backend;

import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Scheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects that messages do not reach this client although commands work, and repairs it. A network
 * does not report a dead connection, and nothing else repeats a subscription that was refused once.
 *
 * <pre>
 *   once a second, while this process holds or waits for something
 *     SUBSCRIBE inbox   acknowledged: the connection lives in both directions, and is subscribed
 *                       refused twice in a row: reported, and repeated until it is granted
 *                       no answer until the second check after it: reported, and replaced
 * </pre>
 *
 * <p>Both only if the store answers a {@code PING} first: the engine handles a store that is away
 * as a whole.
 *
 * <p>Checks are counted instead of time: a process that was paused sees an answer that has come
 * meanwhile before its second check. The old connection stays until the new one is subscribed.
 *
 * <p>An acknowledged subscription can still be useless: if the server reports for several seconds
 * that its messages reach no subscriber, the connection belongs to another server, and is replaced,
 * too.
 */
final class MessageHealth implements AutoCloseable {
  /** The subscription that is checked. */
  interface Subscription {
    /** Subscribes once more; completes when the server has acknowledged it. */
    CompletionStage<?> confirm();

    /** Completes when a new connection is subscribed and in use. */
    CompletionStage<?> replace();

    /** Completes when the store has answered a command. */
    CompletionStage<?> askStore();
  }

  static final long PERIOD_NANOS = Duration.ofSeconds(1).toNanos();

  /** This many checks in a row must fail. */
  private static final int MOST_MISSED = 2;

  private static final long LONGEST_DOUBT_NANOS = Duration.ofSeconds(3).toNanos();
  private static final long DOUBT_ENDS_NANOS = Duration.ofSeconds(5).toNanos();

  private static final CompletionStage<Boolean> UNNECESSARY =
      CompletableFuture.completedStage(false);

  private static final Logger log = LoggerFactory.getLogger(MessageHealth.class);

  private final Subscription subscription;
  private final BackendSignals signals;
  private final Scheduler scheduler;
  private final AtomicBoolean checking = new AtomicBoolean();

  // Guarded by this.
  private @Nullable Object question; // the pending one
  private int missed;
  private boolean repairing;
  private boolean lost;
  private String whyLost = "";
  private boolean reportedLost; // what core was told last
  private boolean reporting;
  private boolean unsettled; // doubted, and not confirmed since
  private boolean doubted;
  private long firstDoubt;
  private long lastDoubt;

  private volatile boolean closed;

  MessageHealth(Subscription subscription, BackendSignals signals, Scheduler scheduler) {
    this.subscription = subscription;
    this.signals = signals;
    this.scheduler = scheduler;
  }

  /** Starts the checks, since this process asks for a lock and may need messages. */
  void begin() {
    if (!checking.get() && checking.compareAndSet(false, true)) {
      scheduler.schedule(PERIOD_NANOS, this::check);
    }
  }

  /** The server has reported that a message to this client has reached no subscriber. */
  void unheard(long now) {
    boolean elsewhere;
    synchronized (this) {
      if (!doubted || now - lastDoubt > DOUBT_ENDS_NANOS) {
        firstDoubt = now;
      }
      doubted = true;
      unsettled = true;
      lastDoubt = now;
      elsewhere = !lost && now - firstDoubt > LONGEST_DOUBT_NANOS;
      if (elsewhere) {
        doubted = false;
        missed = MOST_MISSED;
      }
    }
    if (elsewhere) {
      repair("the server reaches no subscriber, and yet it acknowledges the subscription", true);
    } else {
      askUnlessAsked();
    }
  }

  /** True while messages do not reach this client, or possibly do not. */
  synchronized boolean isDoubtful() {
    return lost || unsettled;
  }

  private void check() {
    boolean goOn = false;
    try {
      goOn = isNeeded();
      if (goOn && !askUnlessAsked()) {
        notAnswered();
      }
    } finally {
      checking.set(false);
      if (goOn || isNeeded()) { // a call of begin() may have seen that checking was set
        begin();
      }
    }
  }

  private boolean isNeeded() {
    synchronized (this) {
      if (lost) {
        return !closed; // until it is repaired, whether or not messages are needed meanwhile
      }
    }
    return !closed && signals.isAnybodyInterested();
  }

  /** False if the last question is not answered yet. */
  private boolean askUnlessAsked() {
    Object asked = new Object();
    synchronized (this) {
      if (question != null || repairing) {
        return false;
      }
      question = asked;
    }
    started(subscription::confirm).whenComplete((done, fault) -> answered(asked, fault));
    return true;
  }

  private void answered(Object asked, @Nullable Throwable fault) {
    synchronized (this) {
      if (question != asked) {
        return; // from a connection that was given up
      }
      question = null;
    }
    if (fault == null) {
      confirmed();
    } else {
      Throwable cause = RedisFaults.unwrap(fault);
      missed(String.valueOf(cause.getMessage()), RedisFaults.isTimeout(cause));
    }
  }

  private void notAnswered() {
    boolean waits;
    synchronized (this) {
      waits = question != null && !repairing;
    }
    if (waits) {
      missed("no answer on the connection for messages", true);
    }
  }

  /**
   * A check has failed.
   *
   * @param silent true if there was no answer. Lettuce reconnects a closed connection, and the
   *     server would refuse a new connection what it has refused the old one
   */
  private void missed(String why, boolean silent) {
    boolean enough;
    synchronized (this) {
      missed++;
      enough = missed >= MOST_MISSED;
    }
    if (enough) {
      repair(why, silent);
    }
  }

  /** Reports the loss, and replaces the connection if wanted, provided that commands work. */
  private void repair(String why, boolean replace) {
    synchronized (this) {
      if (repairing || closed) {
        return;
      }
      repairing = true;
    }
    started(subscription::askStore)
        .thenCompose(
            pong -> {
              if (!isStillMissed()) {
                return UNNECESSARY; // the last answer was only late
              }
              reportLost(why);
              return replace ? started(subscription::replace).thenApply(done -> true) : UNNECESSARY;
            })
        .whenComplete(this::repaired);
  }

  private synchronized boolean isStillMissed() {
    return missed >= MOST_MISSED;
  }

  private void repaired(@Nullable Boolean replaced, @Nullable Throwable fault) {
    boolean isNew = Boolean.TRUE.equals(replaced);
    synchronized (this) {
      repairing = false;
      if (isNew || fault != null) {
        question = null;
      }
    }
    if (isNew) {
      confirmed();
    } else if (fault != null) {
      log.debug(
          "the subscription for messages cannot be restored yet; the next check tries again",
          fault);
    }
  }

  private static CompletionStage<Object> started(Supplier<CompletionStage<?>> request) {
    try {
      return request.get().thenApply(done -> done);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void confirmed() {
    synchronized (this) {
      missed = 0;
      unsettled = false;
      lost = false;
    }
    reportChanges();
  }

  private void reportLost(String why) {
    synchronized (this) {
      lost = true;
      whyLost = why;
    }
    reportChanges();
  }

  /**
   * Reports whatever core does not know yet. Only one thread does so at a time: messages may be
   * lost and come back on two threads at once, and the last report must be true.
   */
  private void reportChanges() {
    for (Change change = nextChange(); change != null; change = nextChange()) {
      try {
        report(change);
      } finally {
        reported(change);
      }
    }
  }

  /** What this thread is to report. */
  private synchronized @Nullable Change nextChange() {
    if (reporting || reportedLost == lost || closed) {
      return null;
    }
    reporting = true;
    return new Change(lost, whyLost);
  }

  private synchronized void reported(Change change) {
    reportedLost = change.lost;
    reporting = false;
  }

  private void report(Change change) {
    if (change.lost) {
      log.debug("messages from Redis do not arrive: {}", change.why);
      signals.messagesLost(change.why);
    } else {
      log.info("messages from Redis arrive again");
      signals.messagesBack();
    }
  }

  private record Change(boolean lost, String why) {}

  @Override
  public void close() {
    closed = true;
  }
}
