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
 * Notices that messages do not reach this client although commands work, and puts it right. The
 * network does not tell a client that its connection is dead, and a subscription that is refused
 * once is not tried again by anybody else.
 *
 * <pre>
 *   once a second, while this process holds or waits for something
 *     SUBSCRIBE inbox   acknowledged: the connection lives in both directions, and is subscribed
 *                       refused, twice in a row: told, and asked again for as long as it lasts
 *                       no answer until the second look after it: told, and replaced
 * </pre>
 *
 * <p>Both only if a {@code PING} among the commands is answered first: a store that is away as a
 * whole is somebody else's concern.
 *
 * <p>Looks are counted, and not the time: a process that was paused finds an answer that has come
 * meanwhile before its second look. The old connection stays until the new one is subscribed.
 *
 * <p>The server may know better than the acknowledgement: if what it publishes reaches nobody for
 * several seconds, the connection belongs to another server, and is replaced too.
 */
final class MessageHealth implements AutoCloseable {
  /** What is watched over. */
  interface Subscription {
    /** Subscribes once more; completes when the server has acknowledged it. */
    CompletionStage<?> confirm();

    /** Completes when there is a new connection, subscribed and in use. */
    CompletionStage<?> replace();

    /** Completes when the store has answered a command. */
    CompletionStage<?> askStore();
  }

  static final long PERIOD_NANOS = Duration.ofSeconds(1).toNanos();

  /** That many looks in a row must find something wrong. */
  private static final int MOST_MISSED = 2;

  private static final long LONGEST_DOUBT_NANOS = Duration.ofSeconds(3).toNanos();
  private static final long DOUBT_ENDS_NANOS = Duration.ofSeconds(5).toNanos();

  private static final CompletionStage<Boolean> UNNECESSARY =
      CompletableFuture.completedStage(false);

  private static final Logger log = LoggerFactory.getLogger(MessageHealth.class);

  private final Subscription subscription;
  private final BackendSignals signals;
  private final Scheduler scheduler;
  private final AtomicBoolean looking = new AtomicBoolean();

  // Guarded by this.
  private @Nullable Object question; // the one under way
  private int missed;
  private boolean repairing;
  private boolean lost;
  private String whyLost = "";
  private boolean toldLost; // what the signals know
  private boolean telling;
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

  /** Somebody asks for a lock: from now on messages may matter. */
  void begin() {
    if (!looking.get() && looking.compareAndSet(false, true)) {
      scheduler.schedule(PERIOD_NANOS, this::look);
    }
  }

  /** The server has found that what it publishes to this client reaches nobody. */
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
      repair("the server publishes to nobody, and yet the subscription is acknowledged", true);
    } else {
      askUnlessAsked();
    }
  }

  /** True while messages do not reach this client, or may not. */
  synchronized boolean isDoubtful() {
    return lost || unsettled;
  }

  private void look() {
    boolean goOn = false;
    try {
      goOn = isNeeded();
      if (goOn && !askUnlessAsked()) {
        notAnswered();
      }
    } finally {
      looking.set(false);
      if (goOn || isNeeded()) { // somebody may have come who saw that it was looking
        begin();
      }
    }
  }

  private boolean isNeeded() {
    synchronized (this) {
      if (lost) {
        return !closed; // until it is put right, whoever is interested meanwhile
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
        return; // of a connection that was given up
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
   * A look has found something wrong.
   *
   * @param silent true if nothing came back. A closed connection is made again by Lettuce, and a
   *     new one would be refused what the old one was refused
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

  /** If commands work: a store that is away as a whole is found, and told, by others. */
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
                return UNNECESSARY; // what came last was only late
              }
              tellLost(why);
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
      log.debug("messages cannot be had yet; tried again in a moment", fault);
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
    tellChanges();
  }

  private void tellLost(String why) {
    synchronized (this) {
      lost = true;
      whyLost = why;
    }
    tellChanges();
  }

  /**
   * Tells the signals whatever they do not know yet. Only one thread does so at a time: messages
   * may be lost and come back on two threads at once, and what is told last must be what is true.
   */
  private void tellChanges() {
    for (Change change = nextChange(); change != null; change = nextChange()) {
      try {
        tell(change);
      } finally {
        told(change);
      }
    }
  }

  /** What this thread is to tell. */
  private synchronized @Nullable Change nextChange() {
    if (telling || toldLost == lost || closed) {
      return null;
    }
    telling = true;
    return new Change(lost, whyLost);
  }

  private synchronized void told(Change change) {
    toldLost = change.lost;
    telling = false;
  }

  private void tell(Change change) {
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
