package io.holdfast.torture.sim;

import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.LockManagerClosedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Somebody in a client who asks for one thing after the other, waits, gives up or holds it for a
 * while, and gives it back.
 */
final class Actor {
  static final int LONGEST_LEASE = 3000;
  private static final long LOOK = 50_000_000;

  private final World world;
  private final Client client;
  private final String name;
  private final List<Resource> resources;
  private final Duration longestHold;
  private final boolean observed;
  private final List<String> violations;
  private boolean resting;
  private boolean busy;

  /** Something to ask for. */
  interface Resource {
    /** Asks for it; a null duration is as long as it takes, or renewed. */
    CompletableFuture<Lease> ask(
        Client client, RandomGenerator random, @Nullable Duration wait, @Nullable Duration lease);

    /** The keys of it. */
    List<String> keys();

    /** What the history says of it. */
    Map<String, String> details();

    /** Notes that it was obtained. */
    List<Ledger.Belief> obtained(Client client, Lease lease);
  }

  Actor(
      World world,
      Client client,
      String name,
      List<Resource> resources,
      Duration longestHold,
      boolean observed,
      List<String> violations) {
    this.world = world;
    this.client = client;
    this.name = name;
    this.resources = List.copyOf(resources);
    this.longestHold = longestHold;
    this.observed = observed;
    this.violations = violations;
  }

  /** Begins after a while. */
  void begin() {
    world.later(millis(50), client.place(), this::act);
  }

  /** Asks for nothing more. */
  void rest() {
    resting = true;
  }

  /** True if it waits for an answer, or holds something. */
  boolean isBusy() {
    return busy;
  }

  private void act() {
    if (resting) {
      return;
    }
    RandomGenerator random = world.random();
    Resource resource = resources.get(random.nextInt(resources.size()));
    Duration wait = world.chance(0.5) ? null : Duration.ofNanos(millis(4000) + 1);
    Duration lease =
        wait == null || world.chance(0.7)
            ? null
            : Duration.ofMillis(random.nextInt(300, LONGEST_LEASE));
    busy = true;
    world.tell(this, "asks for", resource, "(wait", wait, ", lease", lease, ")");
    CompletableFuture<Lease> future = resource.ask(client, random, wait, lease);
    Minutes minutes = new Minutes(world, client, name, resource);
    minutes.asked();
    future.whenComplete((granted, fault) -> answered(resource, minutes, granted, fault));
    if (world.chance(0.1)) {
      world.later(millis(500), client.place(), () -> future.cancel(false));
    }
  }

  private void answered(
      Resource resource, Minutes minutes, @Nullable Lease lease, @Nullable Throwable fault) {
    minutes.answered(lease);
    if (lease == null) {
      if (!isExpected(fault)) {
        violations.add("%s got %s from %s".formatted(this, fault, resource));
      }
      world.tell(this, "does not get", resource, ":", fault);
      done();
      return;
    }
    List<Ledger.Belief> beliefs = resource.obtained(client, lease);
    long hold =
        world.chance(observed ? 0.25 : 0.05) ? millis((int) longestHold.toMillis()) : millis(100);
    world.later(hold, client.place(), () -> giveBack(lease, minutes, beliefs));
    for (long look = LOOK; observed && look < hold; look += LOOK) {
      world.later(look, client.place(), () -> minutes.looked(lease));
    }
  }

  private static boolean isExpected(@Nullable Throwable fault) {
    Throwable cause = fault instanceof CompletionException ? fault.getCause() : fault;
    return cause instanceof CancellationException
        || (cause instanceof LockException && !(cause instanceof LockManagerClosedException));
  }

  private void giveBack(Lease lease, Minutes minutes, List<Ledger.Belief> beliefs) {
    beliefs.forEach(Ledger.Belief::end);
    minutes.givesBack(lease);
    world.tell(this, "gives back", lease);
    lease
        .closeAsync()
        .whenComplete(
            (done, fault) -> {
              minutes.gaveBack(fault);
              done();
            });
  }

  private void done() {
    busy = false;
    world.later(millis(30), client.place(), this::act);
  }

  private long millis(int most) {
    return world.random().nextLong(most * 1_000_000L);
  }

  @Override
  public String toString() {
    return client + "/" + name;
  }
}
