package com.example.files;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendException;
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
import io.holdfast.spi.state.ResourceState;
import io.holdfast.spi.state.ResourceStep;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One manager's way to the files. Reading and writing blocks, so a thread of its own does it. The
 * clock is the machine's, which all processes share. Files do not call back: as long as this
 * manager holds anything or waits for anything it looks at those files some twenty times a second.
 */
final class FileBackend implements LockBackend {
  private static final ResourceStep.Rules RULES = new ResourceStep.Rules(1500, owner -> true);
  private static final long LOOK_EVERY = 50_000_000;

  private final StateFiles files;
  private final BackendContext context;
  private final Map<Owner, Resource> interests = new ConcurrentHashMap<>();
  private final AtomicBoolean looking = new AtomicBoolean();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread daemon = new Thread(task, "file-locks");
            daemon.setDaemon(true);
            return daemon;
          });

  FileBackend(StateFiles files, BackendContext context) {
    this.files = files;
    this.context = context;
  }

  @Override
  public String engine() {
    return "files";
  }

  @Override
  public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
    interests.put(request.owner(), request.resource());
    lookSoon();
    return step(request.resource(), step -> step.acquire(request, context.identity()))
        .exceptionallyCompose(fault -> unlessCertain(fault, new AcquireResult.Unknown(fault)));
  }

  @Override
  public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
    interests.remove(request.owner());
    return step(request.resource(), step -> step.release(request.owner()))
        .exceptionallyCompose(fault -> unlessCertain(fault, new ReleaseResult.Unknown(fault)));
  }

  private void lookSoon() {
    if (!interests.isEmpty() && looking.compareAndSet(false, true)) {
      context.scheduler().schedule(LOOK_EVERY, () -> later(this::look));
    }
  }

  /** Tells core what has changed in the files; telling it twice does no harm. */
  private boolean look() {
    looking.set(false);
    interests.forEach(this::look);
    lookSoon();
    return true;
  }

  private void look(Owner owner, Resource resource) {
    files.change(
        resource,
        state -> {
          state.expire(micros());
          if (state.isHolder(owner) && state.isContended(owner)) {
            context.signals().contended(owner);
          }
          if (state.isHolder(owner) || !state.isWaiter(owner)) {
            context.signals().changed(owner); // if it still waits, it asks and is answered
          }
          return true;
        });
  }

  /** A fault that trying again cannot cure stays one; after any other nobody knows. */
  private static <T> CompletionStage<T> unlessCertain(Throwable fault, T unknown) {
    Throwable cause = fault.getCause() != null ? fault.getCause() : fault;
    return cause instanceof BackendException
        ? CompletableFuture.failedStage(cause)
        : CompletableFuture.completedStage(unknown);
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    return later(() -> batch.stream().map(this::renew).toList());
  }

  /** What is wrong with one is no concern of the others. */
  private RenewResult renew(RenewRequest request) {
    try {
      return now(request.resource(), (step, state) -> step.renew(request, context.identity()));
    } catch (BackendException e) {
      return new RenewResult.Lost(); // it is something else by now
    } catch (RuntimeException e) {
      return new RenewResult.Unknown(e);
    }
  }

  @Override
  public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    return later(
        () ->
            holdings.stream()
                .map(each -> now(each.resource(), (step, state) -> state.isHolder(each.owner())))
                .toList());
  }

  @Override
  public CompletionStage<?> ping() {
    return later(() -> true);
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(Resource resource) {
    return later(() -> now(resource, (step, state) -> state.snapshot(micros())));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(Resource resource, Holders holders) {
    return step(resource, step -> step.force(holders));
  }

  @Override
  public CompletionStage<Boolean> setLimit(Resource resource, int declared, int limit) {
    return step(
        resource,
        step -> {
          step.setLimit(declared, limit);
          return true;
        });
  }

  @Override
  public CompletionStage<Boolean> trySetCount(Resource resource, long count) {
    return step(resource, step -> step.trySetCount(count));
  }

  @Override
  public CompletionStage<Long> countDown(Resource resource) {
    return step(resource, ResourceStep::countDown);
  }

  @Override
  public CompletionStage<Long> count(Resource resource) {
    return step(resource, ResourceStep::count);
  }

  @Override
  public void close() {
    thread.shutdown();
  }

  private <T> CompletableFuture<T> step(Resource resource, Function<ResourceStep, T> work) {
    return later(() -> now(resource, (step, state) -> work.apply(step)));
  }

  private <T> CompletableFuture<T> later(Supplier<T> work) {
    try {
      return CompletableFuture.supplyAsync(work, thread);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(e); // closed
    }
  }

  private <T> T now(Resource resource, BiFunction<ResourceStep, ResourceState, T> work) {
    return files.change(
        resource,
        state -> {
          long micros = micros();
          ResourceStep.Moment moment = new ResourceStep.Moment(micros, micros, 0);
          return work.apply(new ResourceStep(state, resource, moment, RULES), state);
        });
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
