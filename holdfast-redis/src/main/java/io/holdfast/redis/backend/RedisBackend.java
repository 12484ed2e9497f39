package io.holdfast.redis.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Redis engine: each request is one script call, each message in the inbox one signal. It keeps
 * two things between calls: the highest tick it has seen, which it sends to the server so that
 * tokens grow even if the server has forgotten them, and the relation of the server's clock to the
 * local one.
 */
public final class RedisBackend implements LockBackend {
  private static final Logger log = LoggerFactory.getLogger(RedisBackend.class);

  /** Stands for a key in messages that are about no particular key. */
  private static final String YOUR_LOCKS = "your locks";

  /** An answer with more values says that a message to the caller has reached no subscriber. */
  private static final int UNHEARD = 4;

  /** How often a waiter asks while messages do not reach it. */
  private static final long DEAF_LOOK_MILLIS = 250;

  private final BackendContext context;
  private final LettuceClient redis;
  private final RedisLock exclusive;
  private final RedisLock readWrite;
  private final RedisLock semaphore;
  private final RedisLatches latches;
  private final RedisBatches batches;
  private final String clientMeta;
  private final AtomicLong highestTick = new AtomicLong();
  private final ServerClock serverClock = new ServerClock();
  private final MessageHealth messageHealth;

  /** Connects. */
  public RedisBackend(
      RedisURI uri,
      @Nullable ClientResources resources,
      IoChoice io,
      ClientOptions options,
      BackendContext context) {
    this.context = context;
    this.redis =
        new LettuceClient(
            uri,
            resources,
            io,
            options,
            RedisKeys.inbox(context.identity().clientId()),
            this::received,
            this::reconnected,
            context.time(),
            context.scheduler());
    try {
      this.exclusive = new RedisLock.Exclusive(redis, new LockNames.Memory(LockNames::of));
      LockNames.Memory pools = new LockNames.Memory(LockNames::ofPool);
      this.readWrite = new RedisLock.Pool(redis, Resource.Kind.READ_WRITE, pools);
      this.semaphore = new RedisLock.Pool(redis, Resource.Kind.SEMAPHORE, pools);
      this.latches = new RedisLatches(redis);
      this.batches = new RedisBatches(redis, context.identity());
      this.clientMeta = Meta.client(context.identity());
      this.messageHealth =
          new MessageHealth(redis.messages(), context.signals(), context.scheduler());
    } catch (RuntimeException | Error e) {
      redis.closeApart();
      throw e;
    }
  }

  @Override
  public String engine() {
    return "redis";
  }

  @Override
  public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
    messageHealth.begin();
    long sentAt = context.time().nanoTime();
    String meta = clientMeta + Meta.threadField(request.thread());
    CompletionStage<List<Object>> answer =
        request.resource().kind() == Resource.Kind.LATCH
            ? latches.pass(request, meta)
            : lock(request.resource()).acquire(request, meta, highestTick());
    return answer.handle(
        orElse(
            request.key(),
            list -> acquired(list, request.leaseMillis(), sentAt),
            AcquireResult.Unknown::new));
  }

  @Override
  public Optional<CompletionStage<List<AcquireResult>>> acquireAll(List<AcquireRequest> requests) {
    messageHealth.begin();
    AcquireRequest first = requests.get(0);
    List<String> keys = new ArrayList<>();
    keys.add(RedisKeys.FENCE);
    List<String> args = new ArrayList<>();
    args.add(Long.toString(first.leaseMillis()));
    args.add(Meta.of(context.identity(), first.thread()).toString());
    args.add(highestTick());
    for (AcquireRequest request : requests) {
      keys.add(request.key());
      keys.add(RedisKeys.queue(request.key()));
      args.add(request.owner().toString());
    }
    return Optional.of(
        redis
            .evalList(
                LuaScript.ACQUIRE_ALL, keys.toArray(String[]::new), args.toArray(String[]::new))
            .handle(
                orElse(
                    first.key(),
                    list -> allAcquired(list, first.leaseMillis()),
                    fault -> List.of(new AcquireResult.Unknown(fault)))));
  }

  private List<AcquireResult> allAcquired(List<Object> answer, long leaseMillis) {
    if ((Long) answer.get(0) == 0) {
      return List.of(new AcquireResult.Busy(-1));
    }
    List<AcquireResult> granted = new ArrayList<>();
    for (Object tick : answer.subList(1, answer.size())) {
      granted.add(new AcquireResult.Granted(tokens((Long) tick), leaseMillis, false));
    }
    return granted;
  }

  private RedisLock lock(Resource resource) {
    return switch (resource.kind()) {
      case LOCK -> exclusive;
      case READ_WRITE -> readWrite;
      case SEMAPHORE -> semaphore;
      case LATCH -> throw new IllegalArgumentException("nobody holds a latch");
    };
  }

  private String highestTick() {
    return Long.toString(highestTick.get());
  }

  private AcquireResult acquired(List<Object> answer, long leaseMillis, long sentAt) {
    if (answer.size() == 1) {
      long tick = (Long) answer.get(0); // which is the server's time
      serverClock.sample(sentAt, tick);
      return new AcquireResult.Granted(tokens(tick), leaseMillis, false);
    }
    serverClock.sample(sentAt, (Long) answer.get(3));
    if ((Long) answer.get(0) == 0) {
      if (answer.size() > UNHEARD) {
        messageHealth.unheard(context.time().nanoTime());
      }
      return new AcquireResult.Busy(lookAgainIn((Long) answer.get(1)));
    }
    long others = (Long) answer.get(2);
    return new AcquireResult.Granted(
        tokens((Long) answer.get(1)), leaseMillis, others > 0, localTime(others));
  }

  /** A waiter that may not receive messages asks more often. */
  private long lookAgainIn(long leaseMillis) {
    boolean hears = !messageHealth.isDoubtful();
    return hears || (leaseMillis >= 0 && leaseMillis < DEAF_LOOK_MILLIS)
        ? leaseMillis
        : DEAF_LOOK_MILLIS;
  }

  @Override
  public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
    Resource resource = request.resource();
    Owner owner = request.owner();
    CompletionStage<Long> answer =
        resource.kind() == Resource.Kind.LATCH
            ? latches.leave(resource.key(), owner)
            : lock(resource).release(resource.key(), owner, highestTick(), request.contended());
    return answer.handle(
        orElse(
            resource.key(),
            held -> held == 1 ? new ReleaseResult.Released() : new ReleaseResult.NotHeld(),
            ReleaseResult.Unknown::new));
  }

  @Override
  public ReleaseAndAcquire releaseAndAcquire(ReleaseRequest release, AcquireRequest next) {
    CompletableFuture<ReleaseResult> released = new CompletableFuture<>();
    CompletableFuture<AcquireResult> acquired = new CompletableFuture<>();
    redis.together(
        () -> { // the acquire first: then messages are sent before answers, see LeadingPing
          answerWith(acquired, () -> acquire(next));
          answerWith(released, () -> release(release));
        });
    return new ReleaseAndAcquire(released, acquired);
  }

  /** Whatever a request comes to, its future is completed. */
  private static <T> void answerWith(
      CompletableFuture<T> future, Supplier<CompletionStage<T>> request) {
    try {
      request
          .get()
          .whenComplete(
              (answer, fault) -> {
                if (fault != null) {
                  future.completeExceptionally(fault);
                } else {
                  future.complete(answer);
                }
              });
    } catch (RuntimeException | Error e) {
      future.completeExceptionally(e);
    }
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    return batches.renew(batch, highestTick());
  }

  @Override
  public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    String key = holdings.isEmpty() ? YOUR_LOCKS : holdings.get(0).resource().key();
    return batches.check(holdings).handle(orElse(key, held -> held, null));
  }

  @Override
  public CompletionStage<?> ping() {
    return redis.ping().handle(orElse(YOUR_LOCKS, pong -> pong, null));
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(Resource resource) {
    String key = resource.key();
    return switch (resource.kind()) {
      case LOCK -> exclusive.inspect(key).handle(orElse(key, Snapshots::ofLock, null));
      case LATCH -> latches.inspect(key).handle(orElse(key, Snapshots::ofLatch, null));
      default -> lock(resource).inspect(key).handle(orElse(key, Snapshots::ofPool, null));
    };
  }

  @Override
  public CompletionStage<Boolean> forceRelease(Resource resource, Holders holders) {
    CompletionStage<Long> answer =
        resource.kind() == Resource.Kind.LATCH
            ? latches.open(resource.key())
            : lock(resource).force(resource.key(), holders, highestTick());
    return answer.handle(orElse(resource.key(), held -> held == 1, null));
  }

  @Override
  public CompletionStage<Boolean> setLimit(Resource resource, int declared, int limit) {
    return redis
        .evalNumber(
            LuaScript.POOL_LIMIT,
            RedisKeys.ofPool(resource.key()),
            highestTick(),
            RedisLock.CLAIM_WINDOW_MILLIS,
            resource.kind().text(),
            Integer.toString(declared),
            Integer.toString(limit))
        .handle(orElse(resource.key(), done -> true, null));
  }

  @Override
  public CompletionStage<Boolean> trySetCount(Resource resource, long count) {
    return latches
        .set(resource.key(), count)
        .handle(orElse(resource.key(), done -> done == 1, null));
  }

  @Override
  public CompletionStage<Long> countDown(Resource resource) {
    return latches.down(resource.key()).handle(orElse(resource.key(), left -> left, null));
  }

  @Override
  public CompletionStage<Long> count(Resource resource) {
    return latches.read(resource.key()).handle(orElse(resource.key(), count -> count, null));
  }

  @Override
  public void assist(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    redis.assist(awaited, nanos);
  }

  @Override
  public int connections() {
    return redis.openConnections();
  }

  @Override
  public void close() {
    messageHealth.close();
    redis.close();
  }

  // ---- messages

  private void received(String text) {
    InboxMessage message = InboxMessage.parse(text);
    if (message == null || !message.owner().clientId().equals(context.identity().clientId())) {
      log.warn("ignored a message in the inbox of this client that Holdfast has not written");
    } else if (message instanceof InboxMessage.Granted granted) {
      granted(granted);
    } else if (message instanceof InboxMessage.Contended contended) {
      contended(contended);
    } else if (message instanceof InboxMessage.Lost lost) {
      context.signals().lost(lost.owner());
    } else if (message instanceof InboxMessage.Changed changed) {
      context.signals().changed(changed.owner());
    }
  }

  private void granted(InboxMessage.Granted granted) {
    Long asOf = serverClock.notLaterThan(granted.atMicros(), context.time().nanoTime());
    if (asOf == null) {
      context.signals().changed(granted.owner());
      return;
    }
    context
        .signals()
        .granted(
            granted.resource(),
            granted.owner(),
            new PushedGrant(
                TokenBlock.ofTick(granted.tick()),
                asOf,
                granted.leaseMillis(),
                granted.othersSinceMicros() > 0,
                localTime(granted.othersSinceMicros())));
  }

  private void contended(InboxMessage.Contended contended) {
    Long since = localTime(contended.sinceMicros());
    if (since == null) {
      context.signals().contended(contended.owner());
    } else {
      context.signals().contended(contended.owner(), since);
    }
  }

  /** The local time, about; null for zero, or if the server's clock is not known yet. */
  private @Nullable Long localTime(long serverMicros) {
    return serverMicros == 0 ? null : serverClock.about(serverMicros, context.time().nanoTime());
  }

  private void reconnected() {
    serverClock.reset();
    context.signals().reconnected();
  }

  /** Only ticks of answers raise the highest tick: anyone may write a message. */
  private TokenBlock tokens(long tick) {
    highestTick.accumulateAndGet(tick, Math::max);
    return TokenBlock.ofTick(tick);
  }

  /** Reads an answer. A transient fault becomes the given result, any other fault an exception. */
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
