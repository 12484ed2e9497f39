package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Timing;
import io.holdfast.bench.store.StoreServer;
import io.holdfast.bench.store.Stores;
import io.holdfast.bench.weight.ClassPath;
import io.holdfast.bench.worker.Fields;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What scenarios share: servers, network, workers, times. */
public final class Stage implements AutoCloseable {
  private static final int MOST_WATCHES = 20;
  private static final int ENOUGH_TO_SEE = 100;
  private static final long WARM_UP_SLICE_MILLIS = 1000;

  /**
   * The part of the time for which all compilers together may be busy in processes that are warm.
   */
  private static final double QUIET = 0.1;

  /** How much less a warm-up may take that is not the first. */
  private static final int AGAIN = 8;

  private final Stores stores;
  private final Network network;
  private final Timing timing;
  private final Path directory;
  private final @Nullable Path newerJdk;
  private final WorkerPool workers;
  private final ClassPath classPath;
  private final AtomicInteger number = new AtomicInteger();
  private final Map<String, Map<String, Double>> shares = new HashMap<>();

  /** With servers and workers that others may use too, and a network of its own. */
  public Stage(
      Stores stores,
      Network network,
      Timing timing,
      ClassPath classPath,
      Path directory,
      @Nullable Path newerJdk,
      WorkerPool workers) {
    this.stores = stores;
    this.network = network;
    this.timing = timing;
    this.classPath = classPath;
    this.directory = directory;
    this.newerJdk = newerJdk;
    this.workers = workers;
  }

  StoreServer server(Subject subject) {
    return stores.get(subject.store());
  }

  String url(Subject subject) {
    return network.url(server(subject));
  }

  public Timing timing() {
    return timing;
  }

  ClassPath classPath() {
    return classPath;
  }

  WorkerPool workers() {
    return workers;
  }

  @Nullable Path newerJdk() {
    return newerJdk;
  }

  /** A key and a page of shared memory that nobody has used before. */
  Fields newPlace() {
    String name = "bench:" + network.eachWay().toNanos() + ":" + number.incrementAndGet();
    return new Fields()
        .with("key", name)
        .with("page", directory.resolve(name.replace(':', '-') + ".page"));
  }

  /** A file that is there for as long as this run. */
  Path file(String name) {
    return directory.resolve(name);
  }

  /**
   * Warms a subject up until the compilers of its processes have gone quiet, however slow it is:
   * half-compiled code would be measured otherwise. Also before a further round: to disconnect and
   * to connect anew undoes some of what was compiled.
   */
  void warmUp(Scenario scenario, Subject subject, WarmUp load) throws InterruptedException {
    boolean isNew = workers.newTo(scenario.id(), subject);
    long most = timing.mostWarmUp().toMillis() / (isNew ? 1 : AGAIN);
    long slice = Math.min(isNew ? WARM_UP_SLICE_MILLIS : timing.warmUp().toMillis(), most);
    long done = 0;
    long compiling;
    do {
      compiling = load.go(slice);
      done += slice;
    } while (compiling > slice * QUIET && done < most);
  }

  /** The work of a subject while it warms up. */
  @FunctionalInterface
  interface WarmUp {
    /** Does it for so long; returns for how many milliseconds compilers were busy. */
    long go(long millis) throws InterruptedException;
  }

  /**
   * Which commands clients send, remembered from the first time it was looked at. A command that
   * was not seen is taken for one that clients send, so the watch goes on until enough was done for
   * every command to be seen.
   */
  Map<String, Double> shares(Scenario scenario, Subject subject, Load watched)
      throws InterruptedException {
    String name = scenario.id() + " " + subject.label();
    Map<String, Double> known = shares.get(name);
    if (known == null) {
      StoreServer.Watch watch = server(subject).watch();
      long seen = 0;
      for (int i = 0; i < MOST_WATCHES && seen < ENOUGH_TO_SEE; i++) {
        seen += watched.run();
      }
      known = watch.sharesOfClients();
      shares.put(name, known);
    }
    return known;
  }

  /** Some work to be watched. */
  @FunctionalInterface
  interface Load {
    /** Returns how often locks were taken. */
    long run() throws InterruptedException;
  }

  @Override
  public void close() {
    network.close();
  }
}
