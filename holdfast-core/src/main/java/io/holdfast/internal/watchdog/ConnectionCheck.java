package io.holdfast.internal.watchdog;

import io.holdfast.Finding;
import io.holdfast.internal.engine.Context;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Does the store answer, how fast, and do its messages arrive? One ping at a time: while the last
 * one is not answered there is no other, and each look says for how long. That messages do not
 * arrive is found by the backend, and repeated here for as long as it lasts.
 */
final class ConnectionCheck {
  private static final Duration SLOW = Duration.ofSeconds(1);

  private final Context context;
  private final Watchdog watchdog;

  private volatile boolean reachable = true;
  private volatile @Nullable Duration latency;

  /** Why messages do not arrive; null while they do. */
  private volatile @Nullable String deafness;

  // All guarded by this.
  private boolean asked;
  private long askedAt;

  ConnectionCheck(Context context, Watchdog watchdog) {
    this.context = context;
    this.watchdog = watchdog;
  }

  boolean isReachable() {
    return reachable;
  }

  @Nullable Duration latency() {
    return latency;
  }

  /** The backend has found that messages do not arrive. */
  void messagesLost(String why) {
    deafness = why;
    context.events().messagesLost();
    deaf(why);
  }

  void messagesBack() {
    deafness = null;
  }

  void look(long now) {
    String why = deafness;
    if (why != null) {
      deaf(why);
    }
    synchronized (this) {
      if (asked) {
        silent("no answer for %d ms".formatted(Duration.ofNanos(now - askedAt).toMillis()));
        return;
      }
      asked = true;
      askedAt = now;
    }
    CompletionStage<?> pong;
    try {
      pong = context.backend().ping();
    } catch (RuntimeException | Error e) {
      pong = CompletableFuture.failedFuture(e);
    }
    pong.whenComplete((answer, fault) -> answered(now, fault));
  }

  private void answered(long sentAt, @Nullable Throwable fault) {
    synchronized (this) {
      asked = false;
    }
    if (fault != null) {
      silent(String.valueOf(fault.getMessage()));
      return;
    }
    Duration took = Duration.ofNanos(context.now() - sentAt);
    reachable = true;
    latency = took;
    context.events().storeAnswered(took);
    boolean slow = took.compareTo(SLOW) > 0;
    context.events().checked(Finding.Check.CONNECTION, !slow && deafness == null);
    if (slow) {
      watchdog.found(
          Finding.Kind.STORE_SLOW,
          "%s took %d ms to answer".formatted(context.backend().engine(), took.toMillis()));
    }
  }

  private void deaf(String why) {
    watchdog.found(
        Finding.Kind.MESSAGES_LOST,
        "messages of %s do not reach this process, whose waiters look by themselves: %s"
            .formatted(context.backend().engine(), why));
  }

  private void silent(String why) {
    reachable = false;
    context.events().checked(Finding.Check.CONNECTION, false);
    watchdog.found(
        Finding.Kind.STORE_UNREACHABLE,
        "%s does not answer: %s".formatted(context.backend().engine(), why));
  }
}
