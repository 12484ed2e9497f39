package io.holdfast.redis.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.TokenBlock;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Redis engine: each request is one script call, each message in the inbox one signal. It keeps
 * two things between calls: the highest tick it has seen, which it tells the server so that tokens
 * grow even if the server has forgotten them, and how the server's clock relates to ours.
 */
public final class RedisBackend implements LockBackend {
  private static final Logger log = LoggerFactory.getLogger(RedisBackend.class);

  /**
   * How long a waiter that was given the lock has time to be heard of: longer than the second after
   * which waiters look by themselves, so that a lost message does not cost the turn.
   */
  private static final String CLAIM_WINDOW_MILLIS = "1500";

  private final BackendContext context;
  private final LettuceClient redis;
  private final AtomicLong highestTick = new AtomicLong();
  private final ServerClock serverClock = new ServerClock();

  /** Connects. */
  public RedisBackend(
      RedisURI uri,
      @Nullable ClientResources resources,
      ClientOptions options,
      BackendContext context) {
    this.context = context;
    this.redis =
        new LettuceClient(
            uri,
            resources,
            options,
            RedisKeys.inbox(context.identity().clientId()),
            this::received,
            this::reconnected);
  }

  @Override
  public String engine() {
    return "redis";
  }

  @Override
  public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
    long sentAt = context.time().nanoTime();
    return redis
        .evalList(
            LuaScript.ACQUIRE,
            RedisKeys.of(request.key()),
            request.owner().toString(),
            Long.toString(request.leaseMillis()),
            Meta.of(context.identity(), request.thread()).toString(),
            Long.toString(highestTick.get()),
            request.enqueue() ? "1" : "0",
            Long.toString(request.waiterTtlMillis()),
            CLAIM_WINDOW_MILLIS)
        .handle(
            orElse(request.key(), answer -> acquired(answer, sentAt), AcquireResult.Unknown::new));
  }

  private AcquireResult acquired(List<Object> answer, long sentAt) {
    serverClock.sample(sentAt, (Long) answer.get(3));
    if ((Long) answer.get(0) == 0) {
      return new AcquireResult.Busy((Long) answer.get(1));
    }
    return new AcquireResult.Granted(tokens((Long) answer.get(1)), (Long) answer.get(2) > 0);
  }

  @Override
  public CompletionStage<ReleaseResult> release(String key, Owner owner) {
    return redis
        .evalNumber(
            LuaScript.RELEASE,
            RedisKeys.of(key),
            owner.toString(),
            Long.toString(highestTick.get()),
            CLAIM_WINDOW_MILLIS)
        .handle(
            orElse(
                key,
                held -> held == 1 ? new ReleaseResult.Released() : new ReleaseResult.NotHeld(),
                ReleaseResult.Unknown::new));
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    String[] keys = new String[batch.size() * 2];
    String[] args = new String[batch.size() * 2];
    for (int i = 0; i < batch.size(); i++) {
      RenewRequest request = batch.get(i);
      keys[2 * i] = request.key();
      keys[2 * i + 1] = RedisKeys.queue(request.key());
      args[2 * i] = request.owner().toString();
      args[2 * i + 1] = Long.toString(request.leaseMillis());
    }
    return redis
        .evalList(LuaScript.RENEW, keys, args)
        .handle(
            (answer, fault) ->
                fault == null
                    ? answer.stream().map(RedisBackend::renewed).toList()
                    : Collections.nCopies(batch.size(), new RenewResult.Unknown(fault)));
  }

  private static RenewResult renewed(Object code) {
    return (Long) code == 0 ? new RenewResult.Lost() : new RenewResult.Renewed((Long) code == 2);
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(String key) {
    String[] keys = {key, RedisKeys.queue(key), RedisKeys.waiters(key)};
    return redis.evalList(LuaScript.INSPECT, keys).handle(orElse(key, Snapshots::read, null));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String key) {
    return redis
        .evalNumber(
            LuaScript.FORCE,
            RedisKeys.of(key),
            Long.toString(highestTick.get()),
            CLAIM_WINDOW_MILLIS)
        .handle(orElse(key, held -> held == 1, null));
  }

  @Override
  public void close() {
    redis.close();
  }

  // ---- messages

  private void received(String text) {
    InboxMessage message = InboxMessage.parse(text);
    BackendSignals signals = context.signals();
    if (message == null) {
      log.warn("a message in the inbox of this client is not one of ours and was ignored");
    } else if (message instanceof InboxMessage.Granted granted) {
      granted(granted);
    } else if (message instanceof InboxMessage.Wanted wanted) {
      signals.wanted(wanted.key(), wanted.owner());
    } else if (message instanceof InboxMessage.Lost lost) {
      signals.lost(lost.key(), lost.owner());
    }
  }

  private void granted(InboxMessage.Granted granted) {
    Long asOf = serverClock.notLaterThan(granted.atMicros(), context.time().nanoTime());
    if (asOf == null) {
      context.signals().changed(granted.key(), granted.owner());
      return;
    }
    context
        .signals()
        .granted(
            granted.key(),
            granted.owner(),
            new PushedGrant(tokens(granted.tick()), asOf, granted.leaseMillis(), granted.wanted()));
  }

  private void reconnected() {
    serverClock.reset();
    context.signals().reconnected();
  }

  private TokenBlock tokens(long tick) {
    highestTick.accumulateAndGet(tick, Math::max);
    return TokenBlock.ofTick(tick);
  }

  /**
   * Reads an answer; a fault that may pass becomes the result given for it, others an exception.
   */
  private static <A, R> BiFunction<A, @Nullable Throwable, R> orElse(
      String key, Function<A, R> read, @Nullable Function<Throwable, R> unknown) {
    return (answer, fault) -> {
      if (fault == null) {
        return read.apply(answer);
      }
      if (!RedisFaults.mayPass(fault)) {
        throw new CompletionException(RedisFaults.explain(fault, key));
      }
      if (unknown == null) {
        throw new CompletionException(RedisFaults.unwrap(fault));
      }
      return unknown.apply(fault);
    };
  }
}
