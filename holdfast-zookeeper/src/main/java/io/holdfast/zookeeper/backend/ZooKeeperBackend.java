package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
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
 * The ZooKeeper engine: finds the place of whoever asks, lets it make its attempt, and bounds that
 * by a time-out. Signals of watches and sessions go to core from here.
 */
public final class ZooKeeperBackend implements LockBackend {
  private final ZooKeeperClient client;
  private final EngineContext parts;
  private final Places places;
  private final Leases leases;
  private final Latches latches;
  private final Snapshots snapshots;
  private final Limits limits;
  private final DelayedChecks<Place> holders;
  private final DelayedChecks<CompletableFuture<?>> unanswered;
  private final SessionHeartbeat beat;

  /** Connects. */
  public ZooKeeperBackend(ZooKeeperSettings settings, BackendContext context) {
    Paths paths = new Paths(settings.chroot());
    this.parts =
        new EngineContext(
            context,
            paths,
            new Fence(paths),
            new ServerClock(),
            new LeaseBook(),
            new SoleUser(paths),
            settings.timeout());
    this.places = new Places(parts);
    this.leases = new Leases(parts);
    this.latches = new Latches(parts);
    this.snapshots = new Snapshots(parts);
    this.limits = new Limits(parts, snapshots);
    this.holders =
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
    this.beat =
        new SessionHeartbeat(context, client::newest, paths.root(), settings.sessionTimeout());
    beat.start();
    Session session = openOrStop();
    try {
      within(() -> parts.fence().offset(session)).join(); // makes the root, and shows our rights
    } catch (CompletionException e) {
      beat.stop();
      client.close();
      throw ZooKeeperFaults.explainFirst(e);
    } catch (RuntimeException | Error e) {
      beat.stop();
      client.close();
      throw e;
    }
  }

  private Session openOrStop() {
    try {
      return client.open();
    } catch (RuntimeException | Error e) {
      beat.stop(); // the client has closed itself
      throw e;
    }
  }

  @Override
  public String engine() {
    return "zookeeper";
  }

  // ---- taking and giving back

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
                    ? noAnswer("the turn of this attempt came too late")
                    : new Attempt(place, request, leases, () -> places.lost(place)).step());
    result.whenComplete((answer, fault) -> places.finished(place));
    CompletableFuture<AcquireResult> bounded = within(() -> result);
    bounded.whenComplete(
        (answer, fault) -> {
          late.set(true);
          if (answer instanceof AcquireResult.Granted) {
            holders.add(place);
          }
        });
    return bounded;
  }

  @Override
  public CompletionStage<ReleaseResult> release(Resource resource, Owner owner) {
    if (resource.kind() == Resource.Kind.LATCH) {
      latches.leave(owner);
      return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
    }
    return within(() -> places.depart(owner)).handle(orElse(ReleaseResult.Unknown::new));
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    Session session = client.session();
    long askedAt = parts.now();
    CompletableFuture<Boolean> sync =
        session == null ? noAnswer("no connection") : session.sync(parts.paths().root());
    List<CompletableFuture<RenewResult>> results = new ArrayList<>(batch.size());
    for (RenewRequest request : batch) {
      results.add(
          within(() -> renew(request, sync, askedAt)).exceptionally(RenewResult.Unknown::new));
    }
    return all(results);
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

  // ---- looking

  @Override
  public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    return ask(session -> {
          CompletableFuture<Boolean> sync = session.sync(parts.paths().root());
          List<CompletableFuture<Boolean>> answers = new ArrayList<>(holdings.size());
          for (Holding holding : holdings) {
            Place place = places.find(holding.owner());
            answers.add(place == null ? CompletableFuture.completedFuture(false) : place.isThere());
          }
          return sync.thenCombine(all(answers), (synced, list) -> list);
        })
        .handle(orElse(null));
  }

  @Override
  public CompletionStage<?> ping() {
    return ask(session -> session.sync(parts.paths().root())).handle(orElse(null));
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
      String part = view.line().partOf(holder.owner());
      if (part != null) {
        session.delete(parts.paths().child(resource, part), -1);
      }
      deletes.add(
          session
              .delete(parts.paths().child(resource, holder.name()), -1)
              .thenApply(
                  done -> {
                    places.forced(holder.owner());
                    return done;
                  })
              .exceptionallyCompose(
                  fault ->
                      ZooKeeperFaults.isMissing(fault)
                          ? CompletableFuture.completedFuture(false)
                          : CompletableFuture.failedFuture(fault)));
    }
    return all(deletes).thenApply(list -> list.contains(true));
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

  /** How many owners it remembers; for tests that look for leaks. */
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
      beat.stop();
      places.close();
      latches.close();
    } finally {
      client.close();
    }
  }

  // ---- asking

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

  /** What takes too long is given up, though it may still happen. */
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
    answer.whenComplete(
        (value, fault) -> {
          if (fault != null) {
            bounded.completeExceptionally(ZooKeeperFaults.unwrap(fault));
          } else {
            bounded.complete(value);
          }
        });
    return bounded;
  }

  private void giveUp(CompletableFuture<?> bounded) {
    bounded.completeExceptionally(
        new TimeoutException("no answer within " + parts.timeout().toMillis() + " ms"));
  }

  private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> some) {
    return CompletableFuture.allOf(some.toArray(CompletableFuture[]::new))
        .thenApply(done -> some.stream().map(CompletableFuture::join).toList());
  }

  /** A fault that may pass becomes the result given for it, others an exception. */
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
