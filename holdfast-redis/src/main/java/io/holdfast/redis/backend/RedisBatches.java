package io.holdfast.redis.backend;

import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Holding;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Requests for many locks and pools at a time: one script call for all. */
record RedisBatches(LettuceClient redis, ClientIdentity identity) {

  /**
   * Gives one result per request, in the same order. Without an answer all requests of a script
   * call are unknown. Locks with the lease of the first request, nearly all of them, take the fast
   * path.
   */
  CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch, String highestTick) {
    RenewRequest first = batch.isEmpty() ? null : batch.get(0);
    List<RenewRequest> plain = new ArrayList<>(batch.size());
    List<RenewRequest> others = new ArrayList<>();
    for (RenewRequest request : batch) {
      (isPlain(request, first) ? plain : others).add(request);
    }
    if (plain.isEmpty()) {
      return renewOrResume(others, highestTick);
    }
    CompletionStage<List<RenewResult>> renewed = renewPlain(plain, highestTick);
    if (others.isEmpty()) {
      return renewed;
    }
    return renewed.thenCombine(
        renewOrResume(others, highestTick),
        (results, otherResults) -> {
          Iterator<RenewResult> ofPlain = results.iterator();
          Iterator<RenewResult> ofOthers = otherResults.iterator();
          return batch.stream()
              .map(request -> (isPlain(request, first) ? ofPlain : ofOthers).next())
              .toList();
        });
  }

  private static boolean isPlain(RenewRequest request, @Nullable RenewRequest first) {
    return first != null
        && request.resource().kind() == Resource.Kind.LOCK
        && request.leaseMillis() == first.leaseMillis();
  }

  /** Renews locks with the same lease. Missing locks are asked for once more. */
  private CompletionStage<List<RenewResult>> renewPlain(
      List<RenewRequest> batch, String highestTick) {
    String[] keys = new String[batch.size()];
    String[] args = new String[1 + batch.size()];
    args[0] = Long.toString(batch.get(0).leaseMillis());
    for (int i = 0; i < keys.length; i++) {
      keys[i] = batch.get(i).key();
      args[1 + i] = batch.get(i).owner().toString();
    }
    return redis
        .evalList(LuaScript.RENEW_LOCKS, keys, args)
        .handle((missing, fault) -> plainResults(batch, missing, fault))
        .thenCompose(results -> resumeMissing(batch, results, highestTick));
  }

  private static List<RenewResult> plainResults(
      List<RenewRequest> batch, List<Object> missing, @Nullable Throwable fault) {
    int size = batch.size();
    if (fault != null) {
      return Collections.nCopies(size, new RenewResult.Unknown(fault));
    }
    List<RenewResult> renewed =
        Collections.nCopies(size, new RenewResult.Renewed(batch.get(0).leaseMillis(), false));
    if (missing.isEmpty()) {
      return renewed;
    }
    List<RenewResult> results = new ArrayList<>(renewed);
    missing.forEach(number -> results.set(((Long) number).intValue() - 1, new RenewResult.Lost()));
    return results;
  }

  /** Asks again for missing locks that may be put back. */
  private CompletionStage<List<RenewResult>> resumeMissing(
      List<RenewRequest> batch, List<RenewResult> results, String highestTick) {
    List<RenewRequest> missing = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      if (isResumable(batch.get(i), results.get(i))) {
        missing.add(batch.get(i));
      }
    }
    if (missing.isEmpty()) {
      return CompletableFuture.completedFuture(results);
    }
    return renewOrResume(missing, highestTick)
        .thenApply(
            second -> {
              Iterator<RenewResult> again = second.iterator();
              List<RenewResult> merged = new ArrayList<>(results);
              for (int i = 0; i < batch.size(); i++) {
                if (isResumable(batch.get(i), results.get(i))) {
                  merged.set(i, again.next());
                }
              }
              return merged;
            });
  }

  private static boolean isResumable(RenewRequest request, RenewResult result) {
    return result instanceof RenewResult.Lost && request.resumption() != null;
  }

  private CompletionStage<List<RenewResult>> renewOrResume(
      List<RenewRequest> batch, String highestTick) {
    List<String> keys = new ArrayList<>(1 + 4 * batch.size());
    List<String> args = new ArrayList<>(2 + 7 * batch.size());
    keys.add(RedisKeys.FENCE);
    args.add(highestTick);
    args.add(RedisLock.CLAIM_WINDOW_MILLIS);
    for (RenewRequest request : batch) {
      keys.add(request.key());
      keys.add(RedisKeys.queue(request.key()));
      keys.add(RedisKeys.waiters(request.key()));
      keys.add(RedisKeys.leases(request.key()));
      args.add(request.owner().toString());
      args.add(Long.toString(request.leaseMillis()));
      args.add(request.resource().kind().text());
      args.add(Integer.toString(request.claim().amount()));
      args.add(Integer.toString(request.claim().limit()));
      RenewRequest.Resumption resumption = request.resumption();
      if (resumption == null) {
        args.add("0");
        args.add("");
      } else {
        args.add(Long.toString(TokenBlock.tickOf(resumption.tokens())));
        args.add(Meta.of(identity, resumption.thread()).toString());
      }
    }
    return redis
        .evalList(LuaScript.RENEW, keys.toArray(String[]::new), args.toArray(String[]::new))
        .handle(
            (answer, fault) ->
                fault == null
                    ? results(batch, answer)
                    : Collections.nCopies(batch.size(), new RenewResult.Unknown(fault)));
  }

  private static List<RenewResult> results(List<RenewRequest> batch, List<Object> codes) {
    List<RenewResult> results = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      results.add(result(((Long) codes.get(i)).intValue(), batch.get(i).leaseMillis()));
    }
    return results;
  }

  private static RenewResult result(int code, long leaseMillis) {
    return switch (code) {
      case 1 -> new RenewResult.Renewed(leaseMillis, false);
      case 2 -> new RenewResult.Renewed(leaseMillis, true);
      case 3 -> new RenewResult.Resumed(leaseMillis, false);
      case 4 -> new RenewResult.Resumed(leaseMillis, true);
      default -> new RenewResult.Lost();
    };
  }

  /** Tells for each holding, in the same order, whether it is held. */
  CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    List<String> keys = new ArrayList<>(2 * holdings.size());
    List<String> args = new ArrayList<>(2 * holdings.size());
    for (Holding holding : holdings) {
      keys.add(holding.resource().key());
      keys.add(RedisKeys.leases(holding.resource().key()));
      args.add(holding.owner().toString());
      args.add(holding.resource().kind().text());
    }
    return redis
        .evalList(LuaScript.CHECK, keys.toArray(String[]::new), args.toArray(String[]::new))
        .thenApply(answer -> answer.stream().map(held -> (Long) held == 1).toList());
  }
}
