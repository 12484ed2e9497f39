package io.holdfast.internal.base;

import io.holdfast.spi.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Where code of the application runs, in lanes that do not hold up each other:
 *
 * <pre>
 *   futures   leases of acquireAsync, with all that the application has chained to them
 *   answers   of closeAsync and the like, for which such a chain may wait
 *   news      losses and returns of locks
 * </pre>
 *
 * <p>Futures and answers are completed by virtual threads where the JVM has them. News always have
 * threads of the platform: a virtual thread gets no processor while callbacks that compute, or that
 * block inside a monitor, occupy all carriers. An executor of the application takes everything.
 */
public final class Callbacks {
  private static final String NAME = "holdfast-callback";

  private final CallbackThreads futureThreads;
  private final CallbackThreads answerThreads;
  private final CallbackThreads newsThreads;
  private final Executor futures;
  private final Executor answers;
  private final Executor news;

  /**
   * Starts no thread yet.
   *
   * @param given the executor of the application, if it has one
   */
  public Callbacks(@Nullable Executor given, Scheduler scheduler) {
    this.futureThreads = new CallbackThreads(NAME, scheduler);
    this.answerThreads = new CallbackThreads(NAME + "-answer", scheduler);
    this.newsThreads = new CallbackThreads(NAME + "-news", scheduler);
    Executor virtual = given != null ? given : Threads.virtual(NAME);
    this.futures = new CallbackExecutor(virtual != null ? virtual : futureThreads, futureThreads);
    this.answers = new CallbackExecutor(virtual != null ? virtual : answerThreads, answerThreads);
    this.news = new CallbackExecutor(given != null ? given : newsThreads, newsThreads);
  }

  public Executor futures() {
    return futures;
  }

  public Executor answers() {
    return answers;
  }

  public Executor news() {
    return news;
  }

  /** Ends the threads as soon as they have nothing to do. What comes later still runs. */
  public void close() {
    futureThreads.close();
    answerThreads.close();
    newsThreads.close();
  }

  /** The same outcome, with which a lane completes a future of the application. */
  public static <T extends @Nullable Object> CompletableFuture<T> completedOn(
      Executor lane, CompletableFuture<T> future) {
    CompletableFuture<T> shown = new CompletableFuture<>();
    future.whenCompleteAsync(
        (value, fault) -> {
          if (fault != null) {
            boolean wrapped = fault instanceof CompletionException && fault.getCause() != null;
            shown.completeExceptionally(wrapped ? fault.getCause() : fault);
          } else {
            shown.complete(value);
          }
        },
        lane);
    return shown;
  }
}
