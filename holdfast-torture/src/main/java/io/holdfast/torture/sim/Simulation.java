package io.holdfast.torture.sim;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockRequest;
import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One life of a few clients, from a seed: bad weather for a while, then calm, in which everything
 * must come to an end and nothing may be left in the store.
 *
 * <pre>{@code
 * Simulation.Result result = new Simulation(4711, Weather.STORMY).run();
 * assertThat(result.violations()).isEmpty();
 * }</pre>
 */
public final class Simulation {
  private static final int CLIENTS = 3;
  private static final int ACTORS = 3;
  private static final int PERMITS = 3;
  private static final Duration STORM = Duration.ofSeconds(20);

  /** Where all want the same, one who is paused stops everybody: less happens in the same time. */
  private static final Duration LONG_STORM = Duration.ofSeconds(35);

  private static final Duration LONGEST_HOLD = Duration.ofSeconds(5);

  /** Several leases: enough to see that somebody never learns that the lock was deleted. */
  private static final Duration VERY_LONG_HOLD = Duration.ofSeconds(12);

  private static final Duration CALM = Duration.ofSeconds(60);

  private final long seed;
  private final World world;
  private final Weather weather;
  private final World.Place storePlace = new World.Place("store");
  private final MemoryStore store;
  private final List<String> violations = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final List<Actor> actors = new ArrayList<>();
  private final Ledger first;
  private final Ledger second;
  private final Ledger readWrite;
  private final Ledger permits;
  private int writesHandedOn;
  private int permitsHandedOn;
  private int faults;

  /**
   * What came of it.
   *
   * @param seed what it was drawn from
   * @param obtained how many leases were obtained
   * @param writesHandedOn how many of them were a write lock passed on inside a client
   * @param permitsHandedOn how many were permits passed on inside a client
   * @param violations what broke the rules
   * @param story what happened, if it was to be told
   * @param history what clients saw and did, as a real run writes it
   */
  public record Result(
      long seed,
      int obtained,
      int writesHandedOn,
      int permitsHandedOn,
      List<String> violations,
      List<String> story,
      List<HistoryEvent> history) {}

  /** A life with the engine as it is. */
  public Simulation(long seed, Weather weather) {
    this(seed, weather, engine -> engine, false);
  }

  /** A life with an engine that may be broken, with or without a story. */
  public Simulation(
      long seed, Weather weather, UnaryOperator<LockBackend> engine, boolean telling) {
    this.seed = seed;
    this.weather = weather;
    this.world = new World(seed, telling);
    this.store = new MemoryStore(new Clock(world, storePlace, 1, 0));
    boolean keepsItsWord = weather.removal() == 0;
    this.first = new Ledger(world, "first", 1, keepsItsWord, violations);
    this.second = new Ledger(world, "second", 1, keepsItsWord, violations);
    this.readWrite = new Ledger(world, "rw", 1_000_000, keepsItsWord, violations);
    this.permits = new Ledger(world, "permits", PERMITS, keepsItsWord, violations);
    for (int i = 0; i < CLIENTS; i++) {
      Client client = new Client(world, "client" + i, storePlace, store, weather, engine);
      clients.add(client);
      for (int j = 0; j < ACTORS; j++) {
        actors.add(
            new Actor(
                world, client, "actor" + j, resources(), longestHold(), isObserved(), violations));
      }
    }
  }

  /** There are four kinds of lives: two of them mixed, and two in which all want the same. */
  private long kind() {
    return Math.floorMod(seed, 4L);
  }

  /** In some lives holds are long, so that what happens to the store happens to somebody's. */
  private Duration longestHold() {
    return kind() == 1 ? VERY_LONG_HOLD : LONGEST_HOLD;
  }

  /** In calm weather only a hold that lasts, and is looked at, shows how long somebody is wrong. */
  private boolean isObserved() {
    return weather.isCalm() && weather.removal() > 0;
  }

  private Duration storm() {
    return kind() >= 2 ? LONG_STORM : STORM;
  }

  /** In some lives all want the same, so that much is passed on inside the clients. */
  private List<Actor.Resource> resources() {
    if (kind() == 2) {
      return List.of(new Side(true), new Side(true), new Side(false));
    }
    if (kind() == 3) {
      return List.of(new Permits());
    }
    return List.of(
        new OneLock("first", first),
        new OneLock("second", second),
        new BothLocks(),
        new Side(true),
        new Side(false),
        new Side(false),
        new Permits());
  }

  /** Runs it. */
  public Result run() {
    actors.forEach(Actor::begin);
    long end = world.now() + storm().toNanos();
    if (!weather.isCalm()) {
      Map<String, String> prompt = Map.of(Detail.EFFECT, Detail.PROMPT);
      fault(storm().toNanos(), "storm", "", "", weather.isPrompt() ? prompt : Map.of());
    }
    note(Action.CLIENT_START, Map.of(Detail.LEASE_MILLIS, Long.toString(Actor.LONGEST_LEASE)));
    for (Client client : clients) {
      trouble(client, end);
    }
    world.runUntil(end);
    clients.forEach(client -> client.network().weather(Weather.FINE));
    actors.forEach(Actor::rest);
    world.runUntil(end + CALM.toNanos());
    for (Actor actor : actors) {
      if (actor.isBusy()) {
        violations.add(actor + " waits for ever");
      }
    }
    String left = leftovers(); // a look also clears away those who are believed dead by now
    if (store.size() != 0) {
      violations.add(store.size() + " keys are left in the store: " + left);
    }
    clients.forEach(client -> client.manager().close());
    note(Action.CLIENT_END, Map.of());
    int obtained = first.obtained() + second.obtained() + readWrite.obtained() + permits.obtained();
    return new Result(
        seed,
        obtained,
        writesHandedOn,
        permitsHandedOn,
        violations,
        world.story(),
        world.history());
  }

  private void note(Action action, Map<String, String> details) {
    for (Client client : clients) {
      world.record(
          new HistoryEvent(world.now(), client.toString(), "", 0, Phase.NOTE, action, "", details));
    }
  }

  private String leftovers() {
    ClientIdentity observer = new ClientIdentity("observer", "", 0, "");
    Clock clock = new Clock(world, storePlace, 1, 0);
    LockBackend direct =
        new MemoryBackendProvider(store)
            .open("memory:", new BackendContext(observer, new NoSignals(), clock, clock));
    StringBuilder text = new StringBuilder();
    for (Resource resource :
        List.of(
            Resource.lock("first"),
            Resource.lock("second"),
            new Resource(Resource.Kind.READ_WRITE, "rw"),
            new Resource(Resource.Kind.SEMAPHORE, "permits"))) {
      text.append(resource).append(": ");
      direct
          .inspect(resource)
          .whenComplete((snapshot, fault) -> text.append(snapshot).append("; "));
    }
    return text.toString();
  }

  /** Once a second something may happen to a client, or to the store. */
  private void trouble(Client client, long end) {
    if (world.now() >= end) {
      return;
    }
    if (world.chance(weather.pause())) {
      long pause = world.random().nextLong(weather.longestPause().toNanos());
      client.place().pauseUntil(world.now() + pause);
      fault(pause, "pause", client.toString(), "", Map.of(Detail.EFFECT, Detail.PAUSE));
      world.tell(client, "is paused for", pause / 1_000_000, "ms");
    }
    if (world.chance(weather.removal())) {
      String key = List.of("first", "second", "rw", "permits").get(world.random().nextInt(4));
      store.remove(key);
      fault(
          0,
          "delete",
          "",
          key,
          Map.of(Detail.EFFECT, Detail.FORGET, Detail.BREAKS, Detail.EXCLUSION));
      world.tell("somebody deletes", key);
    }
    world.later(1_000_000_000, storePlace, () -> trouble(client, end));
  }

  private void fault(long nanos, String name, String target, String key, Map<String, String> more) {
    Map<String, String> details = new HashMap<>(more);
    details.put(Detail.FAULT, name);
    details.put(Detail.TARGET, target);
    details.put(Detail.ID, Integer.toString(++faults));
    for (boolean begin : List.of(true, false)) {
      world.record(
          new HistoryEvent(
              world.now() + (begin ? 0 : nanos),
              "nemesis",
              "",
              0,
              Phase.NOTE,
              begin ? Action.FAULT_BEGIN : Action.FAULT_END,
              key,
              details));
    }
  }

  private record OneLock(String key, Ledger ledger) implements Actor.Resource {
    @Override
    public CompletableFuture<Lease> ask(
        Client client, RandomGenerator random, @Nullable Duration wait, @Nullable Duration lease) {
      DistributedLock lock =
          random.nextBoolean() ? client.manager().getLock(key) : client.manager().getFairLock(key);
      return request(lock, wait, lease);
    }

    @Override
    public List<String> keys() {
      return List.of(key);
    }

    @Override
    public Map<String, String> details() {
      return Map.of(Detail.PRIMITIVE, "lock");
    }

    @Override
    public List<Ledger.Belief> obtained(Client client, Lease lease) {
      return List.of(ledger.obtained(client, lease, 1));
    }

    @Override
    public String toString() {
      return key;
    }
  }

  private static CompletableFuture<Lease> request(
      DistributedLock lock, @Nullable Duration wait, @Nullable Duration lease) {
    LockRequest request = wait == null ? lock.request() : lock.waitUpTo(wait);
    return (wait == null || lease == null ? request : request.leaseFor(lease)).acquireAsync();
  }

  /** The first token of a grant is a multiple of the size of its block. */
  private static boolean isHandedOn(Lease lease) {
    return lease.token() % TokenBlock.SIZE != 0;
  }

  private final class BothLocks implements Actor.Resource {
    @Override
    public CompletableFuture<Lease> ask(
        Client client, RandomGenerator random, @Nullable Duration wait, @Nullable Duration lease) {
      return request(client.manager().getMultiLock("first", "second"), wait, lease);
    }

    @Override
    public List<String> keys() {
      return List.of("first", "second");
    }

    @Override
    public Map<String, String> details() {
      return Map.of(Detail.PRIMITIVE, "multi");
    }

    @Override
    public List<Ledger.Belief> obtained(Client client, Lease lease) {
      return List.of(
          first.obtainedTogether(client, lease, 1), second.obtainedTogether(client, lease, 1));
    }

    @Override
    public String toString() {
      return "first and second";
    }
  }

  private final class Side implements Actor.Resource {
    private final boolean write;

    Side(boolean write) {
      this.write = write;
    }

    @Override
    public CompletableFuture<Lease> ask(
        Client client, RandomGenerator random, @Nullable Duration wait, @Nullable Duration lease) {
      DistributedReadWriteLock lock = client.manager().getReadWriteLock("rw");
      return request(write ? lock.writeLock() : lock.readLock(), wait, lease);
    }

    @Override
    public List<String> keys() {
      return List.of("rw");
    }

    @Override
    public Map<String, String> details() {
      return Map.of(Detail.PRIMITIVE, write ? "write" : "read");
    }

    @Override
    public List<Ledger.Belief> obtained(Client client, Lease lease) {
      if (write && isHandedOn(lease)) {
        writesHandedOn++;
      }
      return List.of(readWrite.obtained(client, lease, write ? 1_000_000 : 1));
    }

    @Override
    public String toString() {
      return write ? "rw to write" : "rw to read";
    }
  }

  private final class Permits implements Actor.Resource {
    private int wanted = 1;

    @Override
    public CompletableFuture<Lease> ask(
        Client client, RandomGenerator random, @Nullable Duration wait, @Nullable Duration lease) {
      wanted = random.nextInt(1, PERMITS + 1);
      LockConfig config =
          client.defaults().toBuilder().lockKey("permits").fair(random.nextInt(8) == 0).build();
      DistributedSemaphore semaphore = client.manager().getSemaphore(config, PERMITS);
      return wait == null
          ? semaphore.acquireAsync(wanted)
          : semaphore.permits(wanted).waitUpTo(wait).acquireAsync();
    }

    @Override
    public List<String> keys() {
      return List.of("permits");
    }

    @Override
    public Map<String, String> details() {
      return Map.of(
          Detail.PRIMITIVE,
          "semaphore",
          Detail.PERMITS,
          Integer.toString(wanted),
          Detail.LIMIT,
          Integer.toString(PERMITS));
    }

    @Override
    public List<Ledger.Belief> obtained(Client client, Lease lease) {
      if (isHandedOn(lease)) {
        permitsHandedOn++;
      }
      return List.of(permits.obtained(client, lease, wanted));
    }

    @Override
    public String toString() {
      return "permits";
    }
  }
}
