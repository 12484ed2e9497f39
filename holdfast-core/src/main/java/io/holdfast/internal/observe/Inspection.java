package io.holdfast.internal.observe;

import io.holdfast.LatchInfo;
import io.holdfast.LockInfo;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Puts together what the store knows about a lock and what this process knows better: the thread,
 * token and hold count of holders of its own.
 */
public final class Inspection {
  private Inspection() {}

  /** What this process knows of a holder of its own. */
  public record Local(String thread, long token, int holds) {}

  public static LockInfo combine(
      Resource resource,
      LockSnapshot snapshot,
      Function<Owner, @Nullable Local> locals,
      int localWaiters) {
    Resource.Kind kind = resource.kind();
    List<LockInfo.Holder> holders =
        snapshot.holders().stream()
            .map(stored -> holder(kind, stored, locals.apply(stored.owner())))
            .toList();
    return new LockInfo(
        kind.label(), resource.key(), holders, waiters(kind, snapshot), localWaiters);
  }

  /** The same for a latch, which nobody holds. */
  public static LatchInfo ofLatch(Resource resource, LockSnapshot snapshot) {
    return new LatchInfo(resource.key(), snapshot.count(), waiters(resource.kind(), snapshot));
  }

  private static List<LockInfo.Waiter> waiters(Resource.Kind kind, LockSnapshot snapshot) {
    return snapshot.waiters().stream().map(stored -> waiter(kind, stored)).toList();
  }

  /** Who holds it and who waits, in one line; never fails. */
  public static CompletableFuture<String> describe(LockBackend backend, Resource resource) {
    CompletableFuture<String> text = new CompletableFuture<>();
    CompletionStage<LockSnapshot> answer;
    try {
      answer = backend.inspect(resource);
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    answer.whenComplete(
        (snapshot, fault) ->
            text.complete(
                snapshot == null
                    ? "who has it cannot be told: " + fault
                    : line(resource, snapshot)));
    return text;
  }

  private static String line(Resource resource, LockSnapshot snapshot) {
    return resource.kind() == Resource.Kind.LATCH
        ? ofLatch(resource, snapshot).toString()
        : combine(resource, snapshot, owner -> null, 0).toString();
  }

  private static LockInfo.Holder holder(
      Resource.Kind kind, LockSnapshot.Holder stored, @Nullable Local local) {
    ClientIdentity client = stored.client();
    return new LockInfo.Holder(
        client.application(),
        client.host(),
        client.pid(),
        local != null ? local.thread() : stored.thread(),
        stored.owner().toString(),
        claim(kind, stored.amount()),
        stored.since(),
        Duration.ofMillis(stored.remainingMillis()),
        local != null ? local.token() : stored.token(),
        local != null ? local.holds() : stored.holds());
  }

  private static LockInfo.Waiter waiter(Resource.Kind kind, LockSnapshot.Waiter stored) {
    ClientIdentity client = stored.client();
    return new LockInfo.Waiter(
        client.application(),
        client.host(),
        client.pid(),
        stored.thread(),
        stored.owner().toString(),
        claim(kind, stored.amount()),
        stored.since());
  }

  private static String claim(Resource.Kind kind, int amount) {
    return switch (kind) {
      case LOCK -> "exclusive";
      case READ_WRITE -> amount == 1 ? "read" : "write";
      case SEMAPHORE -> amount == 1 ? "1 permit" : amount + " permits";
      case LATCH -> "zero";
    };
  }
}
