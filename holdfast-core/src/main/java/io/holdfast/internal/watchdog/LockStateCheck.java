package io.holdfast.internal.watchdog;

import io.holdfast.Finding;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Does the store still know every lock as ours? Locks that were granted or renewed since the last
 * look need not be asked for; the others are, many in one command. One that is gone is taken back
 * where that is allowed and the store can tell that nobody had it in between; else it is lost, and
 * its holder is told at once instead of with the next renewal.
 */
final class LockStateCheck {
  private static final int BATCH = 500;

  private final LockEngine engine;
  private final Context context;
  private final Watchdog watchdog;

  LockStateCheck(LockEngine engine, Watchdog watchdog) {
    this.engine = engine;
    this.context = engine.context();
    this.watchdog = watchdog;
  }

  void look(List<Tenure> tenures, long now) {
    List<Tenure> unproved = new ArrayList<>();
    for (Tenure tenure : tenures) {
      long period = tenure.config().watchdogPeriod().toNanos();
      if (!tenure.isDegraded() && now - tenure.provedAt() >= period / 10 * 9) {
        unproved.add(tenure);
      }
    }
    ask(unproved, unanswered -> {}); // the connection check tells
  }

  /**
   * Asks the store about each.
   *
   * @param unanswered told about those of which the store has said nothing, which proves nothing
   */
  void ask(List<Tenure> unproved, Consumer<List<Tenure>> unanswered) {
    ask(unproved, 0, unanswered);
  }

  /** One batch after the other, so that requests for locks do not have to wait for all of them. */
  private void ask(List<Tenure> unproved, int from, Consumer<List<Tenure>> unanswered) {
    if (from >= unproved.size()) {
      return;
    }
    List<Tenure> batch = unproved.subList(from, Math.min(unproved.size(), from + BATCH));
    long askedAt = context.now();
    List<Holding> holdings =
        batch.stream().map(each -> new Holding(each.resource(), each.owner())).toList();
    attempt(() -> context.backend().check(holdings))
        .whenComplete(
            (answers, fault) -> {
              if (fault != null || answers == null || answers.size() != batch.size()) {
                unanswered.accept(unproved.subList(from, unproved.size()));
                return;
              }
              context.events().checked(Finding.Check.LOCK_STATE, !answers.contains(false));
              for (int i = 0; i < batch.size(); i++) {
                Tenure tenure = batch.get(i);
                boolean newerProof = tenure.provedAt() - askedAt >= 0;
                if (answers.get(i)) {
                  tenure.proved(askedAt);
                } else if (tenure.isLive() && !newerProof) {
                  gone(tenure);
                }
              }
              ask(unproved, from + BATCH, unanswered);
            });
  }

  /** It is not there: taken back if that is allowed and can be, else lost. */
  void gone(Tenure tenure) {
    List<Hold> holds = tenure.holder().holdsIn(tenure);
    Hold hold = holds.isEmpty() ? null : holds.get(0);
    if (tenure.config().recoveryStrategy().allows(Action.REACQUIRE)) {
      takeBack(tenure, hold);
    } else {
      engine.goneFromStore(tenure);
      explain(tenure, hold);
    }
  }

  private void takeBack(Tenure tenure, @Nullable Hold hold) {
    long sentAt = context.now();
    RenewRequest request = tenure.renewRequest(sentAt);
    attempt(() -> context.backend().renew(List.of(request)))
        .whenComplete(
            (answers, fault) -> {
              RenewResult answer = answers == null || answers.size() != 1 ? null : answers.get(0);
              if (answer instanceof RenewResult.Lost) {
                engine.goneFromStore(tenure);
                explain(tenure, hold);
              } else if (answer instanceof RenewResult.Resumed resumed) {
                tenure.renewed(
                    sentAt, request.leaseMillis(), resumed.leaseMillis(), resumed.contended());
                engine.resumed(tenure);
              } else if (!(answer instanceof RenewResult.Renewed)) {
                engine.confirmations().watch(tenure); // no answer: asked again
              }
            });
  }

  /** Says who has it now, for people. */
  private void explain(Tenure tenure, @Nullable Hold hold) {
    attempt(() -> context.backend().inspect(tenure.resource()))
        .whenComplete(
            (snapshot, fault) ->
                watchdog.found(
                    Finding.Kind.LOCK_GONE, tenure, hold, evidence(snapshot), Duration.ZERO));
  }

  private static String evidence(@Nullable LockSnapshot snapshot) {
    if (snapshot == null) {
      return "the store does not know it as ours";
    }
    if (snapshot.holders().isEmpty()) {
      return "nobody has it: it was deleted, forced open, or its lease ended in the store";
    }
    LockSnapshot.Holder other = snapshot.holders().get(0);
    return "it is held by %s, process %d on %s, thread '%s', since %s"
        .formatted(
            other.client().application(),
            other.client().pid(),
            other.client().host(),
            other.thread(),
            other.since());
  }

  private static <T> CompletionStage<T> attempt(Supplier<CompletionStage<T>> question) {
    try {
      return question.get();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
