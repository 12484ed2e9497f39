package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.metrics.InMemoryMetrics;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A backend says that messages of its store do not arrive, and what core makes of it. */
class MessagesLostTest {
  private final ManualTime time = new ManualTime();
  private final MemoryStore data = new MemoryStore(time);
  private final WatchedStore store = new WatchedStore(data);
  private final List<AcquireRequest> requests = new ArrayList<>();
  private final InMemoryMetrics metrics = new InMemoryMetrics();
  private @Nullable BackendSignals opened;
  private final LockManager ours = manager(keepingTheSignals(), metrics);
  private final LockManager theirs =
      manager(new MemoryBackendProvider(data), new InMemoryMetrics());

  private LockManager manager(LockBackendProvider engine, InMemoryMetrics collector) {
    return time.drive(LockManager.builder("memory:"))
        .engine(engine)
        .metrics(collector)
        .callbackExecutor(Runnable::run)
        .build();
  }

  private LockBackendProvider keepingTheSignals() {
    return new LockBackendProvider() {
      @Override
      public boolean accepts(String url) {
        return store.accepts(url);
      }

      @Override
      public String urlForms() {
        return store.urlForms();
      }

      @Override
      public LockBackend open(String url, BackendContext context) {
        opened = context.signals();
        return store.open(url, context);
      }
    };
  }

  private BackendSignals signals() {
    return Objects.requireNonNull(opened);
  }

  @AfterEach
  void close() {
    ours.close();
    theirs.close();
  }

  @Test
  void healthIsNotWellForAsLongAsItLastsAndItIsCountedOnce() {
    assertThat(ours.health().isHealthy()).isTrue();
    signals().messagesLost("no echo");
    for (int i = 0; i < 10; i++) {
      assertThat(ours.health().isHealthy()).isFalse();
      assertThat(ours.health().reachable()).isTrue();
      assertThat(ours.health().findings())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.kind()).isEqualTo(Finding.Kind.MESSAGES_LOST);
                assertThat(finding.evidence()).contains("memory", "no echo");
              });
      time.advance(Duration.ofSeconds(5));
    }
    assertThat(metrics.snapshot().messagesLost()).isEqualTo(1);
    assertThat(metrics.snapshot().toString()).contains("messages lost: 1 times");
    assertThat(metrics.snapshot().checks())
        .hasEntrySatisfying(
            Finding.Check.CONNECTION, checks -> assertThat(checks.notOk()).isPositive());

    signals().messagesBack();
    time.advance(Duration.ofSeconds(20));
    assertThat(ours.health().isHealthy()).isTrue();
    assertThat(ours.health().findings()).isEmpty();
  }

  @Test
  void whoeverWaitsLooksAgainWhenMessagesAreBack() {
    Lease held = theirs.getLock("k").acquire();
    CompletableFuture<Lease> waiting = ours.getLock("k").acquireAsync();
    store.ignoreSignals("granted");
    signals().messagesLost("no echo");
    held.close();
    assertThat(waiting).isNotDone();
    signals().messagesBack();
    assertThat(waiting).isDone();
    waiting.join().close();
  }

  @Test
  void somebodyIsInterestedWhileSomethingIsHeldOrWaitedFor() {
    assertThat(signals().isAnybodyInterested()).isFalse();
    Lease held = ours.getLock("k").acquire();
    assertThat(signals().isAnybodyInterested()).isTrue();
    held.close();
    assertThat(signals().isAnybodyInterested()).isFalse();
    held = theirs.getLock("k").acquire();
    CompletableFuture<Lease> waiting = ours.getLock("k").acquireAsync();
    assertThat(signals().isAnybodyInterested()).isTrue();
    waiting.cancel(false);
    assertThat(signals().isAnybodyInterested()).isFalse();
    held.close();
  }

  @Test
  void anAttemptSaysHowLongAgoItsOwnerWasFirstToldToWait() {
    store.answer(
        "acquire",
        call -> {
          requests.add((AcquireRequest) call.argument(0));
          return call.proceed();
        });
    Lease held = theirs.getLock("k").acquire();
    CompletableFuture<Lease> waiting = ours.getLock("k").acquireAsync();
    time.advance(Duration.ofMillis(1500));
    assertThat(requests).hasSize(2);
    assertThat(requests.get(0).queuedMicros()).isZero();
    assertThat(requests.get(1).queuedMicros()).isBetween(900_000L, 1_100_000L);
    held.close();
    waiting.join().close();
  }
}
