package io.holdfast.redis.backend;

import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Holding;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.TokenBlock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** What is asked for many locks and pools at a time, with one script call for all. */
record RedisBatches(LettuceClient redis, ClientIdentity identity) {

  /** One result per request, in the same order; no answer is no answer for all. */
  CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch, String highestTick) {
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

  /** For each, in the same order, whether it is held. */
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
