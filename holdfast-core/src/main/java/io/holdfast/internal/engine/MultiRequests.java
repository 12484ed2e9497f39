package io.holdfast.internal.engine;

import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests for several locks in one step of the store, all or none of them. One that is under way
 * when the manager is closed is waited for, so that nothing it took is left behind.
 */
public final class MultiRequests {
  private final LockEngine engine;
  private final Context context;
  private final Map<Owner, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();

  MultiRequests(LockEngine engine) {
    this.engine = engine;
    this.context = engine.context();
  }

  /** Those that have no answer yet; they complete without a fault. */
  List<CompletableFuture<?>> underWay() {
    List<CompletableFuture<?>> open = new ArrayList<>();
    underWay.values().forEach(each -> open.add(each.handle((done, fault) -> null)));
    return open;
  }

  /**
   * Takes several locks in one step of the store, if it can do that and all are free.
   *
   * @return the tenures in the order of the locks, or null: then they have to be taken one by one
   */
  public CompletableFuture<@Nullable List<Tenure>> attempt(
      List<? extends TenureListener> locks, AcquireSpec spec) {
    List<AcquireRequest> requests = new ArrayList<>(locks.size());
    for (TenureListener lock : locks) {
      requests.add(
          new AcquireRequest(
              lock.resource(),
              context.newOwner(),
              spec.claim(),
              spec.lease().toMillis(),
              Thread.currentThread().getName(),
              false,
              0,
              ""));
    }
    long sentAt = context.now();
    CompletableFuture<@Nullable List<Tenure>> result = new CompletableFuture<>();
    Owner first = requests.get(0).owner();
    underWay.put(first, result);
    result.whenComplete((done, fault) -> underWay.remove(first));
    if (context.isClosed()) { // close() sees it, or it sees that all is closed
      result.complete(null);
      return result;
    }
    try {
      context
          .backend()
          .acquireAll(requests)
          .ifPresentOrElse(
              reply ->
                  reply.whenComplete(
                      (answers, fault) ->
                          finish(result, () -> opened(locks, requests, spec, sentAt, answers))),
              () -> result.complete(null));
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(e);
      throw e;
    }
    return result;
  }

  private @Nullable List<Tenure> opened(
      List<? extends TenureListener> locks,
      List<AcquireRequest> requests,
      AcquireSpec spec,
      long sentAt,
      @Nullable List<AcquireResult> answers) {
    List<Tenure> tenures = new ArrayList<>(locks.size());
    for (int i = 0; answers != null && i < answers.size(); i++) {
      if (answers.get(i) instanceof AcquireResult.Granted granted) {
        Owner owner = requests.get(i).owner();
        tenures.add(
            new Tenure(
                locks.get(i),
                owner,
                spec,
                granted.tokens(),
                sentAt,
                Duration.ofMillis(granted.leaseMillis()),
                granted.contended(),
                granted.contenderSinceNanos()));
      }
    }
    boolean all = tenures.size() == locks.size();
    boolean valid = tenures.stream().allMatch(tenure -> tenure.isValid(context.now()));
    if (all && valid && !context.isClosed()) {
      tenures.forEach(engine.renewals()::startRenewal);
      if (!context.isClosed()) {
        tenures.forEach(engine::tenureStarted);
        return tenures;
      }
      tenures.forEach(
          engine.renewals()::stopRenewal); // closed meanwhile, and perhaps not seen by that
    }
    boolean busy =
        answers != null && answers.size() == 1 && answers.get(0) instanceof AcquireResult.Busy;
    if (!busy) { // too late, or unknown
      requests.forEach(each -> engine.giveBack(each.resource(), each.owner(), spec.lease()));
    }
    return null;
  }

  private static <T> void finish(
      CompletableFuture<@Nullable T> result, Supplier<@Nullable T> outcome) {
    try {
      result.complete(outcome.get());
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(e);
    }
  }
}
