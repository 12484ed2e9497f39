package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.TimeSource;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Process-local locks. */
@Timeout(600)
@SuppressWarnings("LockNotBeforeTry")
class FallbackRacesTest {
  private final MemoryStore memory = new MemoryStore(TimeSource.system());
  private final WatchedStore store = new WatchedStore(memory);
  private final List<LockEvent> events = new CopyOnWriteArrayList<>();
  private final LockManager manager = manager(Fallback.PROCESS_LOCAL);

  private LockManager manager(Fallback fallback) {
    return LockManager.builder("memory:")
        .engine(store)
        .defaults(config(fallback).build())
        .listener(events::add)
        .build();
  }

  private static LockConfigBuilder config(Fallback fallback) {
    return LockConfig.builder()
        .storeTimeout(Duration.ofMillis(200))
        .leaseTime(Duration.ofSeconds(60))
        .renewalTime(Duration.ofMillis(200))
        .fallback(fallback);
  }

  @AfterEach
  void close() {
    CutOff.bringBack(store);
    manager.close();
  }

  /** A store that says nothing at all, not even that it does not know. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aSilentStoreDoesNotKeepProcessLocalLocksFromBeingRenewed() {
    processLocalLocksAreRenewedWhile(new CompletableFuture<>());
  }

  /** The same for a store that fails the whole batch. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aStoreThatFailsABatchDoesNotKeepProcessLocalLocksFromBeingRenewed() {
    processLocalLocksAreRenewedWhile(CompletableFuture.failedFuture(CutOff.cut()));
  }

  private void processLocalLocksAreRenewedWhile(CompletableFuture<?> answer) {
    try (Lease real = manager.getLock("real").acquire()) {
      CutOff.cutOff(store);
      AtomicInteger asked = new AtomicInteger();
      store.answer(
          "renew",
          call -> {
            asked.incrementAndGet();
            return answer;
          });
      try (Lease local = manager.getLock("k").acquire()) {
        await().until(() -> asked.get() > 0 && renewals("k") >= 5);
        assertThat(real.isValid()).isTrue();
        assertThat(local.isValid()).isTrue();
      }
      CutOff.bringBack(store);
    }
  }

  private long renewals(String key) {
    return events.stream()
        .filter(event -> event.kind() == LockEvent.Kind.RENEWED && event.key().equals(key))
        .count();
  }

  @Test
  @SuppressWarnings("NullAway")
  @Execution(ExecutionMode.CONCURRENT)
  void aFunctionThatSaysNothingDoesNotGrant() {
    try (LockManager odd = manager((key, cause) -> null)) {
      CutOff.cutOff(store);
      boolean taken;
      try {
        taken = odd.getLock("k").tryLock();
      } catch (RuntimeException e) {
        taken = false;
      }
      assertThat(taken).as("granted although nobody has decided so").isFalse();
    } finally {
      CutOff.bringBack(store);
    }
  }

  @Test
  void anErrorOfTheFunctionReachesTheCaller() throws Exception {
    LockManager odd =
        manager(
            (key, cause) -> {
              throw new AssertionError("odd");
            });
    CutOff.cutOff(store);
    CompletableFuture<Lease> lease = odd.getLock("k").acquireAsync();
    try {
      await().atMost(Duration.ofMinutes(2)).until(lease::isDone);
    } finally {
      CutOff.bringBack(store);
      odd.close();
    }
  }

  /** FAIL by a function is as patient as FAIL itself. */
  @Test
  void aFunctionThatSaysFailIsAsPatientAsTheDefault() throws Exception {
    LockConfig patient =
        LockConfig.builder()
            .watchdogPeriod(Duration.ofMillis(100))
            .fallback((key, cause) -> Fallback.Decision.FAIL)
            .build(); // storeTimeout 30 s
    try (LockManager choosy =
        LockManager.builder("memory:").engine(store).defaults(patient).build()) {
      store.answer("ping", call -> CompletableFuture.failedFuture(CutOff.cut()));
      await().until(() -> !choosy.health().reachable());
      AtomicInteger tries = new AtomicInteger();
      store.answer(
          "acquire",
          call ->
              tries.incrementAndGet() < 3
                  ? CutOff.done(new AcquireResult.Unknown(CutOff.cut()))
                  : call.proceed());
      try (Lease lease = choosy.getLock("k").acquire()) { // throws at the first silence
        assertThat(lease.isValid()).isTrue();
      }
    }
  }

  @Test
  void aGrantOfAllAtOnceIsNormalAgainToo() throws Exception {
    CutOff.cutOff(store);
    manager.getLock("k").acquire().close();
    CutOff.bringBack(store);
    try (Lease all = manager.getMultiLock("a", "b").acquire()) {
      assertThat(all.isDegraded()).isFalse();
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> events.stream().anyMatch(e -> e.kind() == LockEvent.Kind.NORMAL_AGAIN));
    }
  }

  /** A reader whose settings say FAIL goes on in the place of one whose settings say local. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aReaderThatMustFailIsNotGivenAProcessLocalLockInThePlaceOfAnother() throws Exception {
    LockConfig local =
        config(Fallback.PROCESS_LOCAL).lockKey("rw").storeTimeout(Duration.ofSeconds(1)).build();
    LockConfig strict =
        config(Fallback.FAIL).lockKey("rw").storeTimeout(Duration.ofSeconds(1)).build();
    try (LockManager theirs = LockManager.builder("memory:").engine(store).build()) {
      Lease writing = theirs.getReadWriteLock("rw").writeLock().acquire();
      CompletableFuture<Lease> first =
          manager.getReadWriteLock(local, false).readLock().acquireAsync();
      CompletableFuture<Lease> second =
          manager.getReadWriteLock(strict, false).readLock().acquireAsync();
      await().until(() -> store.signals("contended").size() > 0);
      first.cancel(false);
      store.answer(
          "acquire",
          call ->
              ((AcquireRequest) call.argument(0)).key().equals("rw")
                  ? CutOff.done(new AcquireResult.Unknown(CutOff.cut()))
                  : call.proceed());
      await().atMost(Duration.ofMinutes(2)).until(second::isDone);
      assertThat(writing.isValid()).isTrue();
      assertThat(second.isCompletedExceptionally())
          .as(
              "its settings say FAIL; it got "
                  + (second.isCompletedExceptionally() ? "" : second.get()))
          .isTrue();
      writing.close();
    }
  }

  /** An Error of the function in the caller's own time-out leaves the request in the store. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void anErrorOfTheFunctionLeavesNothingBehind() throws Exception {
    LockConfig patient =
        LockConfig.builder()
            .storeTimeout(Duration.ofSeconds(30))
            .fallback(
                (key, cause) -> {
                  throw new AssertionError("odd");
                })
            .build();
    try (LockManager odd = LockManager.builder("memory:").engine(store).defaults(patient).build()) {
      store.answer("acquire", call -> CutOff.done(new AcquireResult.Unknown(CutOff.cut())));
      try {
        assertThat(odd.getLock("k").tryLock(Duration.ofMillis(300))).isFalse();
      } catch (AssertionError e) {
        assertThat(e).hasMessage("odd");
      }
      CutOff.bringBack(store);
      await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofMinutes(2))
          .until(() -> memory.size() == 0 && odd.health().held() == 0);
    }
  }

  /** Readers that arrive together fall back together, not one time-out after the other. */
  @Test
  void readersFallBackTogether() {
    LockConfig local =
        config(Fallback.PROCESS_LOCAL)
            .lockKey("rw")
            .leaseTime(Duration.ofSeconds(30))
            .storeTimeout(Duration.ofSeconds(5))
            .build();
    ManualTime time = new ManualTime();
    CutOff.cutOff(store);
    try (LockManager patient =
        time.drive(LockManager.builder("memory:"))
            .engine(store)
            .callbackExecutor(Runnable::run)
            .build()) {
      List<CompletableFuture<Lease>> all = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        all.add(patient.getReadWriteLock(local, false).readLock().acquireAsync());
      }
      time.advance(Duration.ofSeconds(4));
      assertThat(all).noneMatch(CompletableFuture::isDone);
      time.advance(Duration.ofSeconds(4)); // 50 s one after the other
      assertThat(all).allMatch(CompletableFuture::isDone);
      for (CompletableFuture<Lease> each : all) {
        assertThat(each.join().isDegraded()).isTrue();
        each.join().close();
      }
      CutOff.bringBack(store);
    }
  }

  /** A pushed grant to the old owner that arrives while the acquisition changes its owner. */
  @Test
  void aPushedGrantToTheOldOwnerIsNotTakenForTheNewOne() throws Exception {
    AtomicReference<AcquireRequest> asked = new AtomicReference<>();
    AtomicReference<BackendSignals> signals = new AtomicReference<>();
    AtomicBoolean push = new AtomicBoolean();
    LockBackendProvider engine =
        new LockBackendProvider() {
          @Override
          public boolean accepts(String url) {
            return true;
          }

          @Override
          public String urlForms() {
            return "memory:";
          }

          @Override
          public LockBackend open(String url, BackendContext context) {
            signals.set(context.signals());
            return store.open(url, context);
          }
        };
    store.answer(
        "acquire",
        call -> {
          asked.set((AcquireRequest) call.argument(0));
          return CutOff.done(new AcquireResult.Unknown(CutOff.cut()));
        });
    Fallback racing =
        (key, cause) -> {
          push.set(true);
          return Fallback.Decision.PROCESS_LOCAL;
        };
    LockConfig config = config(racing).leaseTime(Duration.ofSeconds(60)).build();
    int wrong = 0;
    try (LockManager racer =
        LockManager.builder("memory:").engine(engine).defaults(config).build()) {
      AtomicBoolean end = new AtomicBoolean();
      Thread pusher =
          new Thread(
              () -> {
                while (!end.get()) {
                  if (push.get()) {
                    push.set(false);
                    AcquireRequest request = Objects.requireNonNull(asked.get());
                    Objects.requireNonNull(signals.get())
                        .granted(
                            request.resource(),
                            request.owner(),
                            new PushedGrant(
                                TokenBlock.ofTick(7), System.nanoTime(), 60_000, false));
                  }
                  Thread.onSpinWait();
                }
              });
      pusher.setDaemon(true);
      pusher.start();
      long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
      while (System.nanoTime() - until < 0 && wrong == 0) {
        Optional<Lease> lease = racer.getLock("k").tryAcquire();
        if (lease.isPresent()) {
          long storeToken = TokenBlock.ofTick(7).first();
          if (lease.get().isDegraded() && lease.get().token() == storeToken) {
            wrong++;
          }
          try {
            lease.get().close();
          } catch (RuntimeException e) {
            // lost
          }
        }
      }
      end.set(true);
      pusher.join();
    }
    assertThat(wrong).as("tenures of a local owner made of a grant of the store").isZero();
  }
}
