package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.FakeClock;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A backend without core: single attempts, and the signals they cause. */
final class BackendBench implements AutoCloseable {
  final String client = UUID.randomUUID().toString();
  final List<String> signals = new CopyOnWriteArrayList<>();
  final ZooKeeperBackend backend;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private volatile boolean timerStopped;
  private int owners;

  BackendBench(String servers, Duration sessionTimeout) {
    this(settings(servers, sessionTimeout));
  }

  BackendBench(ZooKeeperSettings settings) {
    backend = backend(settings, TimeSource.system(), this::schedule);
  }

  /** A bench with a clock that the test moves. */
  BackendBench(String servers, Duration sessionTimeout, FakeClock clock) {
    backend = backend(settings(servers, sessionTimeout), clock, unlessStopped(clock));
  }

  private ZooKeeperBackend backend(
      ZooKeeperSettings settings, TimeSource time, Scheduler scheduler) {
    return new ZooKeeperBackend(
        settings,
        new BackendContext(
            new ClientIdentity(client, "host", 42, "bench"), new Signals(), time, scheduler));
  }

  private static ZooKeeperSettings settings(String servers, Duration sessionTimeout) {
    return new ZooKeeperSettings(
        servers, "", sessionTimeout, Duration.ofSeconds(60), Duration.ofSeconds(30), null, null);
  }

  private Scheduler unlessStopped(Scheduler scheduler) {
    return (delay, task) -> scheduler.schedule(delay, () -> run(task));
  }

  private Scheduler.Cancellable schedule(long delay, Runnable task) {
    Runnable unlessStopped = () -> run(task);
    Future<?> future = timer.schedule(unlessStopped, delay, TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  private void run(Runnable task) {
    if (!timerStopped) {
      task.run();
    }
  }

  /** From now on no scheduled task runs. */
  void stopTimer() {
    timerStopped = true;
  }

  Owner newOwner() {
    return new Owner(client, "t" + ++owners);
  }

  AcquireResult acquire(Resource resource, Owner owner, Claim claim, long lease, boolean enqueue) {
    return acquire(resource, owner, claim, lease, enqueue, "");
  }

  AcquireResult acquire(
      Resource resource, Owner owner, Claim claim, long lease, boolean enqueue, String note) {
    return get(
        backend.acquire(
            new AcquireRequest(resource, owner, claim, lease, "thread", enqueue, 3000, note)));
  }

  ReleaseResult release(Resource resource, Owner owner) {
    return get(backend.release(new ReleaseRequest(resource, owner)));
  }

  RenewResult renew(Resource resource, Owner owner, Claim claim, long lease) {
    return get(backend.renew(List.of(new RenewRequest(resource, owner, claim, lease, null))))
        .get(0);
  }

  static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      if (e.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new IllegalStateException(e.getCause());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** The number of requests that a server has received; this query is one of them. */
  static long requests(ZooKeeperServer server) {
    String prefix = "Received: ";
    return ZooKeeperNodes.ask("127.0.0.1", server.port(), "srvr").stream()
        .filter(line -> line.startsWith(prefix))
        .mapToLong(line -> Long.parseLong(line.substring(prefix.length())))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    backend.close();
    timer.shutdownNow();
  }

  private final class Signals implements BackendSignals {
    @Override
    public void granted(Resource resource, Owner owner, PushedGrant grant) {
      signals.add("granted " + owner.tenureId());
    }

    @Override
    public void changed(Owner waiter) {
      signals.add("changed " + waiter.tenureId());
    }

    @Override
    public void contended(Owner holder) {
      signals.add("contended " + holder.tenureId());
    }

    @Override
    public void lost(Owner holder) {
      signals.add("lost " + holder.tenureId());
    }

    @Override
    public void reconnected() {
      signals.add("reconnected");
    }
  }
}
