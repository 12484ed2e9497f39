package io.holdfast.torture.sim;

import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way between one client and the store. Messages are late, lost or repeated as the weather has
 * it, and overtake each other.
 */
final class Network {
  private static final long USUAL = 2_000_000;
  static final long TIMEOUT = 500_000_000;

  private final World world;
  private final World.Place client;
  private final World.Place store;
  private volatile Weather weather;

  Network(World world, World.Place client, World.Place store, Weather weather) {
    this.world = world;
    this.client = client;
    this.store = store;
    this.weather = weather;
  }

  void weather(Weather changed) {
    weather = changed;
  }

  /** Asks the store; fails by a time-out on the client's side if no answer comes back in time. */
  <T> CompletableFuture<T> ask(Supplier<CompletionStage<T>> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (!world.chance(weather.lostRequest())) {
      world.later(delay(), store, () -> arrive(question, answer));
    }
    if (world.chance(weather.repeatedRequest())) {
      world.later(delay(), store, () -> arrive(question, new CompletableFuture<>()));
    }
    world.later(
        TIMEOUT, client, () -> answer.completeExceptionally(new TimeoutException("no answer")));
    return answer;
  }

  private <T> void arrive(Supplier<CompletionStage<T>> question, CompletableFuture<T> answer) {
    question
        .get()
        .whenComplete(
            (value, fault) -> {
              if (!world.chance(weather.lostReply())) {
                world.later(delay(), client, () -> complete(answer, value, fault));
              }
            });
  }

  private static <T> void complete(
      CompletableFuture<T> answer, T value, @Nullable Throwable fault) {
    if (fault != null) {
      answer.completeExceptionally(fault);
    } else {
      answer.complete(value);
    }
  }

  private long delay() {
    return world.chance(weather.late())
        ? world.random().nextLong(weather.latest().toNanos())
        : world.random().nextLong(USUAL / 20, USUAL);
  }

  /**
   * Signals of the store on their way to the client. A pushed grant carries the client's time of
   * the moment at which it was made, as an engine with a perfect idea of the other's clock would
   * have it.
   */
  BackendSignals towards(BackendSignals target, Clock clock) {
    return new BackendSignals() {
      @Override
      public void granted(Resource resource, Owner owner, PushedGrant grant) {
        PushedGrant dated =
            new PushedGrant(
                grant.tokens(), clock.nanoTime(), grant.leaseMillis(), grant.contended());
        send(() -> target.granted(resource, owner, dated));
      }

      @Override
      public void changed(Owner waiter) {
        send(() -> target.changed(waiter));
      }

      @Override
      public void contended(Owner holder) {
        send(() -> target.contended(holder));
      }

      @Override
      public void lost(Owner holder) {
        send(() -> target.lost(holder));
      }

      @Override
      public void reconnected() {
        send(target::reconnected);
      }
    };
  }

  private void send(Runnable signal) {
    if (!world.chance(weather.lostSignal())) {
      world.later(delay(), client, signal);
    }
    if (world.chance(weather.repeatedSignal())) {
      world.later(delay(), client, signal);
    }
  }
}
