package io.holdfast;

import static java.util.Objects.requireNonNull;

import io.holdfast.internal.BuilderAccess;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link LockManager}.
 *
 * <pre>{@code
 * LockManager manager = LockManager.builder("redis://localhost:6379")
 *     .application("orders")
 *     .defaults(LockConfig.builder().leaseTime(10).build())
 *     .metrics(new InMemoryMetrics())
 *     .audit(true)
 *     .build();
 * }</pre>
 */
public final class LockManagerBuilder {
  static {
    BuilderAccess.set(
        new BuilderAccess() {
          @Override
          protected void setTime(LockManagerBuilder builder, TimeSource clocks, Scheduler timer) {
            builder.time = requireNonNull(clocks, "clocks must not be null");
            builder.scheduler = requireNonNull(timer, "timer must not be null");
          }

          @Override
          protected void setRandom(LockManagerBuilder builder, RandomGenerator generator) {
            builder.random = requireNonNull(generator, "generator must not be null");
          }
        });
  }

  final List<LockListener> listeners = new ArrayList<>();
  LockConfig defaults = LockConfig.defaults();
  MetricsCollector metrics = MetricsCollector.NONE;
  DeadlockVictim deadlockVictim = DeadlockVictim.NONE;
  RandomGenerator random = new SecureRandom();
  boolean audit;
  boolean shutdownHook = true;
  @Nullable TimeSource time;
  @Nullable Scheduler scheduler;
  @Nullable Executor callbacks;
  private final String url;
  private String application = "java";
  private @Nullable LockBackendProvider provider;

  LockManagerBuilder(String url) {
    this.url =
        requireNonNull(
            url, "url must not be null; it looks like redis://localhost:6379 or memory:");
  }

  /** What the application calls itself, for people who ask who holds a lock. */
  public LockManagerBuilder application(String name) {
    requireNonNull(name, "name must not be null");
    if (name.isBlank() || name.length() > 200) {
      throw new IllegalArgumentException("an application name has 1 to 200 characters");
    }
    this.application = name;
    return this;
  }

  /** Settings for locks that are asked for by key alone. */
  public LockManagerBuilder defaults(LockConfig config) {
    this.defaults = requireNonNull(config, "config must not be null");
    return this;
  }

  /** A listener that misses nothing. */
  public LockManagerBuilder listener(LockListener listener) {
    listeners.add(requireNonNull(listener, "listener must not be null"));
    return this;
  }

  /** What counts; default nothing. */
  public LockManagerBuilder metrics(MetricsCollector collector) {
    this.metrics = requireNonNull(collector, "collector must not be null");
    return this;
  }

  /**
   * True to write who acquired, released, lost or forced a lock to the logger {@code
   * io.holdfast.audit}, at level INFO, a line of {@code name="value"} pairs each; default false.
   */
  public LockManagerBuilder audit(boolean on) {
    this.audit = on;
    return this;
  }

  /** Who gives way in a deadlock between processes; default nobody, it is only reported. */
  public LockManagerBuilder deadlockVictim(DeadlockVictim rule) {
    this.deadlockVictim = requireNonNull(rule, "rule must not be null");
    return this;
  }

  /**
   * Where callbacks of the application run: losses, futures of {@code acquireAsync} and what is
   * chained to them.
   *
   * <p>By default futures are completed by virtual threads, and before Java 21 by a bounded number
   * of threads: 8 per processor, at least 32 and at most 256. A lease that arrives while all of
   * them are busy is held, and renewed, until one is free. Losses have as many threads of their own
   * and never wait behind futures. An executor given here takes both; losses then wait behind
   * whatever occupies it.
   */
  public LockManagerBuilder callbackExecutor(Executor executor) {
    this.callbacks = requireNonNull(executor, "executor must not be null");
    return this;
  }

  /**
   * False if the manager is not to be closed at the exit of the JVM; default true. An exit is the
   * end of the last thread, {@code System.exit} or SIGTERM. Locks that are held then are given back
   * at once instead of when their leases end; their holders are told that they lost them, since
   * threads go on running during the exit.
   *
   * <p>All shutdown hooks run at the same time. Switch this one off where a container closes the
   * manager, or where a hook of the application finishes work under a lock, and close the manager
   * after that.
   */
  public LockManagerBuilder shutdownHook(boolean on) {
    this.shutdownHook = on;
    return this;
  }

  /** The engine to use, instead of finding it by the URL. */
  public LockManagerBuilder engine(LockBackendProvider engine) {
    this.provider = requireNonNull(engine, "engine must not be null");
    return this;
  }

  /**
   * Connects.
   *
   * @throws IllegalArgumentException when no engine understands the URL, or its engine knows no
   *     such option
   * @throws StoreUnavailableException when the store cannot be reached
   * @throws StoreException when it can be reached and not be used
   */
  public LockManager build() {
    return new LockManager(this, provider != null ? provider : find(), url);
  }

  private LockBackendProvider find() {
    List<LockBackendProvider> all =
        ServiceLoader.load(LockBackendProvider.class, LockManager.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList();
    for (LockBackendProvider candidate : all) {
      if (candidate.accepts(url)) {
        return candidate;
      }
    }
    String scheme = url.contains(":") ? url.substring(0, url.indexOf(':') + 1) : url;
    throw new IllegalArgumentException(
        ("no lock engine understands a URL that starts with '%s'; on the class path are "
                + "engines for %s. For Redis add holdfast-redis, for ZooKeeper holdfast-zookeeper, "
                + "for a SQL database holdfast-jdbc")
            .formatted(
                scheme,
                all.stream().map(LockBackendProvider::urlForms).collect(Collectors.joining(", "))));
  }

  ClientIdentity identity() {
    return new ClientIdentity(
        new UUID(random.nextLong(), random.nextLong()).toString(),
        hostName(),
        ProcessHandle.current().pid(),
        application);
  }

  private static String hostName() {
    String name = System.getenv("HOSTNAME");
    if (name != null && !name.isBlank()) {
      return name;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host";
    }
  }
}
