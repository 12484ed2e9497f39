package io.holdfast;

import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** What tests of the review do to a store. */
final class CutOff {
  private CutOff() {}

  static void cutOff(WatchedStore store) {
    store.answer("acquire", call -> done(new AcquireResult.Unknown(cut())));
    store.answer(
        "acquireAll", call -> Optional.of(done(List.of(new AcquireResult.Unknown(cut())))));
    store.answer("release", call -> done(new ReleaseResult.Unknown(cut())));
    store.answer("renew", call -> done(unknownFor((List<?>) call.argument(0))));
    store.answer("ping", call -> CompletableFuture.failedFuture(cut()));
  }

  static void bringBack(WatchedStore store) {
    List.of("acquire", "acquireAll", "release", "renew", "ping", "check")
        .forEach(store::answerNormally);
  }

  static List<RenewResult> unknownFor(List<?> batch) {
    return batch.stream().map(each -> (RenewResult) new RenewResult.Unknown(cut())).toList();
  }

  static Throwable cut() {
    return new TimeoutException("cut off");
  }

  static <T> CompletableFuture<T> done(T value) {
    return CompletableFuture.completedFuture(value);
  }
}
