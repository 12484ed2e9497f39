package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * The ZooKeeper engine: finds the place of an owner, runs the attempt there, and bounds it by a
 * time-out. Signals of watches and sessions go to core from here.
 */
public final class ZooKeeperBackend implements LockBackend {
  private final ZooKeeperClient client;
  private final EngineContext engine;
  private final Places places;
  private final Leases leases;
  private final Latches latches;
  private final Snapshots snapshots;
  private final Limits limits;
  private final DelayedChecks<Place> newHolders;
  private final DelayedChecks<CompletableFuture<?>> unanswered;
  private final SessionHeartbeat heartbeat;

  /** Connects. */
  public ZooKeeperBackend(ZooKeeperSettings settings, BackendContext context) {
    Paths paths = new Paths(settings.chroot());
    this.engine =
        new EngineContext(
            context,
            paths,
            new Fence(paths),
            new ServerClock(),
            new LeaseBook(),
            new SoleUser(paths),
            settings.timeout());
    this.places = new Places(engine);
    this.leases = new Leases(engine);
    this.latches = new Latches(engine);
    this.snapshots = new Snapshots(engine);
    this.limits = new Limits(engine, snapshots);
    this.newHolders =
        new DelayedChecks<>(
            context,
            ContentionWatch.MOMENT_NANOS,
            ContentionWatch.MOMENT_NANOS,
            ContentionWatch::isSettled,
            place -> ContentionWatch.watch(place, () -> places.lost(place)));
    long timeout = settings.timeout().toNanos();
    this.unanswered =
        new DelayedChecks<>(context, timeout, timeout / 8, CompletableFuture::isDone, this::giveUp);
    this.client = new ZooKeeperClient(settings, context.time(), places);
    this.heartbeat =
        new SessionHeartbeat(context, client::newest, paths.root(), settings.sessionTimeout());
    heartbeat.start();
    Session session = openOrStop();
    try {
      within(() -> engine.fence().offset(session))
          .join(); // creates the root, and shows missing rights
    } catch (CompletionException e) {
      heartbeat.stop();
      client.close();
      throw ZooKeeperFaults.explainFirst(e);
    } catch (RuntimeException | Error e) {
      heartbeat.stop();
      client.close();
      throw e;
    }
  }

  private Session openOrStop() {
    try {
      return client.open();
    } catch (RuntimeException | Error e) {
      heartbeat.stop(); // the client has closed itself
      throw e;
    }
  }

  @Override
  public String engine() {
    return "zookeeper";
  }

  // ---- acquire, release, renew

  @Override
  public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
    return ask(session ->
            request.resource().kind() == Resource.Kind.LATCH
                ? latches.pass(session, request)
                : attempt(session, request))
        .handle(orElse(AcquireResult.Unknown::new));
  }

  private CompletableFuture<AcquireResult> attempt(Session session, AcquireRequest request) {
    Place place = places.begin(session, request);
    AtomicBoolean late = new AtomicBoolean();
    CompletableFuture<AcquireResult> result =
        place.inTurn(
            () ->
                late.get() || place.isGivenUp()
                    ? noAnswer(
                        "the attempt began too late: earlier operations of this owner took too long")
                    : new Attempt(place, request, leases, () -> places.lost(place)).run());
    result.whenComplete((answer, fault) -> places.finished(place));
    CompletableFuture<AcquireResult> bounded = within(() -> result);
    bounded.whenComplete(
        (answer, fault) -> {
          late.set(true);
          if (answer instanceof AcquireResult.Granted) {
            newHolders.add(place);
          }
        });
    return bounded;
  }

  @Override
  public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
    Owner owner = request.owner();
    if (request.resource().kind() == Resource.Kind.LATCH) {
      latches.leave(owner);
      return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
    }
    return within(() -> places.depart(owner)).handle(orElse(ReleaseResult.Unknown::new));
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    Session session = client.session();
    long askedAt = engine.now();
    CompletableFuture<Boolean> sync =
        session == null ? noAnswer("no connection") : session.sync(engine.paths().root());
    List<CompletableFuture<RenewResult>> results = new ArrayList<>(batch.size());
    for (RenewRequest request : batch) {
      results.add(
          within(() -> renew(request, sync, askedAt)).exceptionally(RenewResult.Unknown::new));
    }
    return Futures.all(results);
  }

  private CompletableFuture<RenewResult> renew(
      RenewRequest request, CompletableFuture<Boolean> sync, long askedAt) {
    Place place = places.find(request.owner());
    if (place == null) {
      return CompletableFuture.completedFuture(new RenewResult.Lost());
    }
    return place
        .inTurn(() -> new Renewal(place, request, sync, askedAt).run())
        .thenApply(
            result -> {
              if (result instanceof RenewResult.Lost) {
                places.forget(place);
              }
              return result;
            });
  }

  // ---- checks

  @Override
  public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    return ask(session -> {
          CompletableFuture<Boolean> sync = session.sync(engine.paths().root());
          List<CompletableFuture<Boolean>> answers = new ArrayList<>(holdings.size());
          for (Holding holding : holdings) {
            Place place = places.find(holding.owner());
            answers.add(place == null ? CompletableFuture.completedFuture(false) : place.isThere());
          }
          return sync.thenCombine(Futures.all(answers), (synced, list) -> list);
        })
        .handle(orElse(null));
  }

  @Override
  public CompletionStage<?> ping() {
    return ask(session -> session.sync(engine.paths().root())).handle(orElse(null));
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(Resource resource) {
    return ask(session ->
            resource.kind() == Resource.Kind.LATCH
                ? latches.inspect(session, resource)
                : snapshots.snapshot(session, resource))
        .handle(orElse(null));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(Resource resource, Holders holders) {
    return ask(session ->
            resource.kind() == Resource.Kind.LATCH
                ? latches.open(session, resource)
                : snapshots
                    .view(session, resource)
                    .thenCompose(view -> force(session, resource, view, holders)))
        .handle(orElse(null));
  }

  private CompletableFuture<Boolean> force(
      Session session, Resource resource, Snapshots.View view, Holders meant) {
    List<CompletableFuture<Boolean>> deletes = new ArrayList<>();
    for (Ticket holder : view.holders()) {
      if (!meant.include(view.line().amountOf(holder))) {
        continue;
      }
      deletes.add(force(session, resource, view.line(), holder));
    }
    return Futures.all(deletes).thenApply(list -> list.contains(true));
  }

  private CompletableFuture<Boolean> force(
      Session session, Resource resource, Line line, Ticket holder) {
    String part = line.partOf(holder.owner());
    if (part != null) {
      session.delete(engine.paths().child(resource, part), -1);
    }
    return session
        .deleteIfThere(engine.paths().child(resource, holder.name()))
        .thenApply(
            wasThere -> {
              if (wasThere) {
                places.forced(holder.owner());
              }
              return wasThere;
            });
  }

  // ---- semaphores and latches

  @Override
  public CompletionStage<Boolean> setLimit(Resource resource, int declared, int limit) {
    return ask(session -> limits.set(session, resource, declared, limit)).handle(orElse(null));
  }

  @Override
  public CompletionStage<Boolean> trySetCount(Resource resource, long count) {
    return ask(session -> latches.trySet(session, resource, count)).handle(orElse(null));
  }

  @Override
  public CompletionStage<Long> countDown(Resource resource) {
    return ask(session -> latches.countDown(session, resource)).handle(orElse(null));
  }

  @Override
  public CompletionStage<Long> count(Resource resource) {
    return ask(session -> latches.count(session, resource)).handle(orElse(null));
  }

  /** The number of remembered owners; for tests that look for leaks. */
  int remembered() {
    return places.size();
  }

  @Override
  public int connections() {
    Session session = client.session();
    return session != null && session.isConnected() ? 1 : 0;
  }

  @Override
  public void close() {
    try {
      heartbeat.stop();
      places.close();
      latches.close();
    } finally {
      client.close();
    }
  }

  // ---- requests with a time-out

  private <T> CompletableFuture<T> ask(Function<Session, CompletableFuture<T>> question) {
    Session session = client.session();
    if (session == null || !session.isConnected()) {
      return CompletableFuture.failedFuture(
          KeeperException.create(KeeperException.Code.CONNECTIONLOSS));
    }
    return within(() -> question.apply(session));
  }

  private static <T> CompletableFuture<T> noAnswer(String why) {
    return CompletableFuture.failedFuture(new TimeoutException(why));
  }

  /** Gives up an answer that takes too long; the request may still take effect. */
  private <T> CompletableFuture<T> within(Supplier<CompletableFuture<T>> work) {
    CompletableFuture<T> answer;
    try {
      answer = work.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    if (answer.isDone()) {
      return answer;
    }
    CompletableFuture<T> bounded = new CompletableFuture<>();
    unanswered.add(bounded);
    Futures.relay(answer, bounded);
    return bounded;
  }

  private void giveUp(CompletableFuture<?> bounded) {
    bounded.completeExceptionally(
        new TimeoutException("no answer within " + engine.timeout().toMillis() + " ms"));
  }

  /**
   * Turns a transient fault into the result for it, if there is one, and others into exceptions.
   */
  private static <R> BiFunction<R, @Nullable Throwable, R> orElse(
      @Nullable Function<Throwable, ? extends R> unknown) {
    return (answer, fault) -> {
      if (fault == null) {
        return answer;
      }
      if (!ZooKeeperFaults.mayPass(fault)) {
        throw new CompletionException(ZooKeeperFaults.explain(fault));
      }
      if (unknown == null) {
        throw new CompletionException(ZooKeeperFaults.unwrap(fault));
      }
      return unknown.apply(ZooKeeperFaults.unwrap(fault));
    };
  }
}
