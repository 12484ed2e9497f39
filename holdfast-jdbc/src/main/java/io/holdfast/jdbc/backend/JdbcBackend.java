package io.holdfast.jdbc.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import io.holdfast.spi.state.ResourceState;
import io.holdfast.spi.state.ResourceStep;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The JDBC engine: a request reads one row (or a few), lets {@link ResourceStep} decide, and writes
 * the row back in one atomic operation. Where the database has notifications, those to other
 * processes are part of the transaction; elsewhere the other processes poll.
 */
public final class JdbcBackend implements LockBackend {
  private static final int BATCH = 100;

  /** A shorter lease is not shortened further: it counts from a time that was read. */
  private static final long MIN_LEASE_TO_SHORTEN = 1000;

  private final BackendContext context;
  private final ClientIdentity identity;
  private final Dialect dialect;
  private final Interests interests = new Interests();
  private final DatabaseClock clock = new DatabaseClock();
  private final AtomicLong highestTick = new AtomicLong();
  private final Map<Owner, CompletableFuture<ReleaseResult>> releases = new ConcurrentHashMap<>();
  private final SignalDispatcher dispatcher;
  private final LockTable table;
  private final Database database;
  private final Poller poller;
  private final @Nullable PostgresListener listener;

  JdbcBackend(ConnectionSource source, Settings settings, BackendContext context) {
    this.context = context;
    this.identity = context.identity();
    this.dialect = source.dialect();
    this.dispatcher = new SignalDispatcher(context, interests, clock);
    this.table =
        new LockTable(
            dialect, settings.tables(), context.time()::nanoTime, () -> highestTick.get() + 1);
    Strategy.Notifier notifier =
        dialect == Dialect.POSTGRESQL // other processes may listen even if this one does not
            ? rows -> Notification.to(rows, identity.clientId())
            : rows -> List.of();
    this.database =
        new Database(
            source,
            settings.optimistic()
                ? new Strategy.Optimistic(table, notifier, () -> clock.guessMicros(nanoTime()))
                : new Strategy.Pessimistic(table, notifier),
            settings,
            context.time()::nanoTime);
    this.poller =
        new Poller(
            context, interests, dispatcher, database, table, settings.poll(), () -> !isListening());
    this.listener =
        dialect == Dialect.POSTGRESQL && settings.listen()
            ? new PostgresListener(
                source,
                Notification.channelOf(identity.clientId()),
                settings,
                new Listening(context, interests, dispatcher, clock, poller, this::ping))
            : null;
  }

  private boolean isListening() {
    PostgresListener present = listener;
    return present != null && present.isListening();
  }

  @Override
  public String engine() {
    return "jdbc";
  }

  // ---- acquire, release, renew

  @Override
  public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
    Resource resource = request.resource();
    if (request.enqueue()) {
      interests.asking(resource, request.owner(), nanoTime());
    }
    Function<Rows, AcquireResult> step =
        rows -> rows.promise(rows.step(resource).acquire(request, identity));
    boolean whole = request.leaseMillis() < MIN_LEASE_TO_SHORTEN;
    return outcome(whole ? database.change(List.of(resource), step) : database.take(resource, step))
        .handle(orUnknown(result -> answered(request, result), AcquireResult.Unknown::new));
  }

  private AcquireResult answered(AcquireRequest request, AcquireResult result) {
    Owner owner = request.owner();
    if (result instanceof AcquireResult.Granted granted) {
      granted(request, granted);
    } else if (request.enqueue()) {
      interests.waiting(owner);
      poller.interested(false);
    }
    return result;
  }

  private void granted(AcquireRequest request, AcquireResult.Granted granted) {
    if (request.resource().kind() == Resource.Kind.LATCH) {
      interests.forget(request.owner());
      return;
    }
    highestTick.accumulateAndGet(TokenBlock.tickOf(granted.tokens()), Math::max);
    interests.holding(request.resource(), request.owner(), nanoTime());
    poller.interested(true);
  }

  @Override
  public Optional<CompletionStage<List<AcquireResult>>> acquireAll(List<AcquireRequest> requests) {
    if (requests.size() > BATCH) {
      return Optional.empty();
    }
    List<Resource> keys = requests.stream().map(AcquireRequest::resource).toList();
    return Optional.of(
        change(keys, rows -> acquireAll(requests, rows))
            .handle(
                orUnknown(
                    results -> allAnswered(requests, results),
                    fault -> List.of(new AcquireResult.Unknown(fault)))));
  }

  private List<AcquireResult> acquireAll(List<AcquireRequest> requests, Rows rows) {
    if (!requests.stream().allMatch(request -> rows.step(request.resource()).isFree())) {
      return List.of(new AcquireResult.Busy(-1));
    }
    List<AcquireResult> results = new ArrayList<>();
    for (AcquireRequest request : requests) {
      results.add(rows.step(request.resource()).acquire(request, identity));
    }
    return results;
  }

  private List<AcquireResult> allAnswered(
      List<AcquireRequest> requests, List<AcquireResult> results) {
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i) instanceof AcquireResult.Granted granted) {
        granted(requests.get(i), granted);
      }
    }
    return results;
  }

  @Override
  public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
    Resource resource = request.resource();
    Owner owner = request.owner();
    interests.forget(owner);
    CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
    CompletableFuture<ReleaseResult> underWay = releases.putIfAbsent(owner, result);
    if (underWay != null) {
      return underWay; // a second release would be answered with NotHeld
    }
    outcome(database.release(resource, owner, rows -> rows.step(resource).release(owner)))
        .handle(orUnknown(answer -> answer, ReleaseResult.Unknown::new))
        .whenComplete(
            (answer, fault) -> {
              releases.remove(owner);
              if (fault != null) {
                result.completeExceptionally(fault);
              } else {
                result.complete(answer);
              }
            });
    return result;
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    CompletableFuture<List<RenewResult>> all = CompletableFuture.completedFuture(List.of());
    for (int from = 0; from < batch.size(); from += BATCH) {
      List<RenewRequest> some = batch.subList(from, Math.min(batch.size(), from + BATCH));
      all =
          all.thenCombine(
              renewSome(some),
              (before, after) -> {
                List<RenewResult> both = new ArrayList<>(before);
                both.addAll(after);
                return both;
              });
    }
    return all;
  }

  private CompletableFuture<List<RenewResult>> renewSome(List<RenewRequest> some) {
    Set<Resource> keys = new LinkedHashSet<>();
    some.forEach(request -> keys.add(request.resource()));
    return change(keys, rows -> some.stream().map(request -> renew(request, rows)).toList())
        .handle(
            (results, fault) -> {
              if (fault != null) {
                return Collections.nCopies(some.size(), new RenewResult.Unknown(fault));
              }
              for (int i = 0; i < some.size(); i++) {
                if (results.get(i) instanceof RenewResult.Lost) {
                  interests.forget(some.get(i).owner());
                }
              }
              return results;
            });
  }

  /** A fault of one key must not end the lease of another. */
  private RenewResult renew(RenewRequest request, Rows rows) {
    try {
      return rows.step(request.resource()).renew(request, identity);
    } catch (BackendException e) {
      return new RenewResult.Unknown(e);
    }
  }

  // ---- checks

  @Override
  public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    List<CompletableFuture<List<Boolean>>> batches = new ArrayList<>();
    for (int from = 0; from < holdings.size(); from += BATCH) {
      List<Holding> some = holdings.subList(from, Math.min(holdings.size(), from + BATCH));
      Set<Resource> keys = new LinkedHashSet<>();
      some.forEach(holding -> keys.add(holding.resource()));
      batches.add(
          read(keys).thenApply(rows -> some.stream().map(each -> holds(each, rows)).toList()));
    }
    return CompletableFuture.allOf(batches.toArray(CompletableFuture[]::new))
        .thenApply(done -> batches.stream().flatMap(batch -> batch.join().stream()).toList());
  }

  private static boolean holds(Holding holding, Rows rows) {
    ResourceState state = rows.state(holding.resource());
    return state.remainingMillis(holding.owner(), rows.nowMicros()) > 0;
  }

  @Override
  public CompletionStage<?> ping() {
    return database.read(table::readTime);
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(Resource resource) {
    return read(List.of(resource))
        .thenApply(
            rows -> {
              ResourceState state = rows.state(resource);
              state.expire(rows.nowMicros());
              state.requireKind(resource);
              LockSnapshot snapshot = state.snapshot(rows.nowMicros());
              signalContention(state);
              return snapshot;
            });
  }

  /** A holder that inspects its own lock learns at once that others wait for it. */
  private void signalContention(ResourceState state) {
    for (Owner holder : state.owners()) {
      if (holder.clientId().equals(identity.clientId()) && state.isContended(holder)) {
        context.signals().contended(holder);
      }
    }
  }

  // ---- forced release, limits and latches

  @Override
  public CompletionStage<Boolean> forceRelease(Resource resource, Holders holders) {
    return change(List.of(resource), rows -> rows.step(resource).force(holders));
  }

  @Override
  public CompletionStage<Boolean> setLimit(Resource resource, int declared, int limit) {
    return change(
        List.of(resource),
        rows -> {
          rows.step(resource).setLimit(declared, limit);
          return true;
        });
  }

  @Override
  public CompletionStage<Boolean> trySetCount(Resource resource, long count) {
    return change(List.of(resource), rows -> rows.step(resource).trySetCount(count));
  }

  @Override
  public CompletionStage<Long> countDown(Resource resource) {
    return change(List.of(resource), rows -> rows.step(resource).countDown());
  }

  @Override
  public CompletionStage<Long> count(Resource resource) {
    return read(List.of(resource)).thenApply(rows -> rows.step(resource).count());
  }

  @Override
  public int connections() {
    return database.connections();
  }

  @Override
  public void close() {
    poller.close();
    try {
      if (listener != null) {
        listener.close();
      }
    } finally {
      database.close();
    }
  }

  // ---- requests to the database

  private long nanoTime() {
    return context.time().nanoTime();
  }

  private <T> CompletableFuture<T> change(Collection<Resource> keys, Function<Rows, T> step) {
    return outcome(database.change(keys, step));
  }

  private <T> CompletableFuture<T> outcome(CompletableFuture<Strategy.Outcome<T>> change) {
    return change.thenApply(
        outcome -> {
          Rows rows = outcome.rows();
          if (rows.isRead()) {
            clock.sample(rows.asOfNanos(), rows.nowMicros());
          }
          dispatcher.ofOwnChange(rows);
          return outcome.result();
        });
  }

  private CompletableFuture<Rows> read(Collection<Resource> keys) {
    return database.read(keys, table);
  }

  /** Turns a transient fault into the result for it, and others into exceptions. */
  private static <A, R> BiFunction<A, @Nullable Throwable, R> orUnknown(
      Function<A, R> read, Function<Throwable, R> unknown) {
    return (answer, fault) -> {
      if (fault == null) {
        return read.apply(answer);
      }
      Throwable cause = fault instanceof CompletionException ? fault.getCause() : fault;
      if (cause instanceof BackendException) {
        throw new CompletionException(cause);
      }
      return unknown.apply(cause == null ? fault : cause);
    };
  }
}
