package io.holdfast.torture.sim;

import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.RecoveryStrategy;
import io.holdfast.RetryPolicy;
import io.holdfast.internal.BuilderAccess;
import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** One process: a lock manager with a clock of its own and a network between it and the store. */
final class Client {
  private final World.Place place;
  private final Network network;
  private final LockConfig defaults;
  private final LockManager manager;

  Client(
      World world,
      String name,
      World.Place storePlace,
      MemoryStore store,
      Weather weather,
      UnaryOperator<LockBackend> engine) {
    this.place = new World.Place(name);
    double rate = 1 + (world.random().nextDouble() - 0.5) * 0.01;
    Clock clock = new Clock(world, place, rate, world.random().nextLong(1_000_000_000_000L));
    this.network = new Network(world, place, storePlace, weather);
    boolean resume = world.chance(0.5);
    Duration linger = world.chance(0.3) ? Duration.ofMillis(200) : Duration.ZERO;
    boolean seldom = world.chance(0.5); // then a hand-over is proved long before the next renewal
    this.defaults =
        LockConfig.builder()
            .leaseTime(Duration.ofSeconds(seldom ? 3 : 2))
            .renewalTime(Duration.ofMillis(seldom ? 2000 : 666))
            .watchdogPeriod(Duration.ofSeconds(seldom ? 5 : 1))
            .retryPolicy(RetryPolicy.standard().jitter(0))
            .linger(linger)
            .recoveryStrategy(resume ? RecoveryStrategy.ALL : RecoveryStrategy.STANDARD)
            .build();
    this.manager =
        BuilderAccess.random(
                BuilderAccess.time(LockManager.builder("simulated:"), clock, clock), world.random())
            .engine(new Provider(store, network, clock, engine))
            .application(name)
            .callbackExecutor(clock)
            .defaults(defaults)
            .build();
  }

  LockConfig defaults() {
    return defaults;
  }

  LockManager manager() {
    return manager;
  }

  World.Place place() {
    return place;
  }

  Network network() {
    return network;
  }

  @Override
  public String toString() {
    return place.toString();
  }

  private record Provider(
      MemoryStore store, Network network, Clock clock, UnaryOperator<LockBackend> engine)
      implements LockBackendProvider {
    @Override
    public boolean accepts(String url) {
      return url.startsWith("simulated:");
    }

    @Override
    public String urlForms() {
      return "simulated:";
    }

    @Override
    public LockBackend open(String url, BackendContext context) {
      BackendContext far =
          new BackendContext(
              context.identity(),
              network.towards(context.signals(), clock),
              context.time(),
              context.scheduler());
      LockBackend near = new MemoryBackendProvider(store).open("memory:", far);
      return new RemoteBackend(engine.apply(near), network);
    }
  }
}
