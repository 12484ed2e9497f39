package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Wake one, not all: the cost of a hand-over does not depend on the number of waiters. */
@Isolated
@Timeout(600)
class RedisWaitersTest {
  private static final int TURNS = 32;

  /** A waiter asks once a second, less a jitter of 10 %. */
  private static final double LEAST_SECONDS_BETWEEN_LOOKS = 0.9;

  /** Per acquisition; repeated attempts on a slow machine included. */
  private record Cost(double commands, double bytes, double looks) {
    double bytesPerCommand() {
      return bytes / commands;
    }
  }

  /** Without the checks of the subscriptions, one per manager each second. */
  private record Traffic(long scripts, long bytes) {
    static Traffic now(RespClient client) {
      int inbox = String.valueOf(client.list("PUBSUB", "CHANNELS", "holdfast:*").get(0)).length();
      int perSubscription =
          "*2..$9..SUBSCRIBE..$99....*3..$9..subscribe..$99....:1..".length() + 2 * inbox;
      String stats = String.valueOf(client.call("INFO", "stats"));
      String commands = String.valueOf(client.call("INFO", "commandstats"));
      return new Traffic(
          number(commands, "cmdstat_evalsha:calls="),
          number(stats, "total_net_input_bytes:")
              + number(stats, "total_net_output_bytes:")
              - number(commands, "cmdstat_subscribe:calls=") * perSubscription);
    }
  }

  @Test
  void commandsAndBytesPerAcquisitionAreTheSameWithOneAndWithSixtyFourWaiters() throws Exception {
    Cost one = cost(1);
    Cost four = cost(4);
    Cost sixteen = cost(16);
    Cost sixtyFour = cost(64);
    for (Cost cost : List.of(one, four, sixteen, sixtyFour)) {
      assertThat(cost.commands())
          .as("%s: ask, release, a rare look", cost)
          .isBetween(1.9, 2.5 + cost.looks());
      assertThat(cost.bytesPerCommand())
          .as("%s against %s", cost, one)
          .isLessThan(one.bytesPerCommand() * 1.5);
    }
  }

  /**
   * Hand-overs among waiting managers, each of which asks again after its turn. They are closed
   * before the server: each would log that it reconnects.
   */
  private static Cost cost(int waiting) throws Exception {
    try (RedisServer server = RedisServer.builder().start();
        RespClient client = server.client()) {
      List<LockManager> managers = new ArrayList<>();
      try {
        for (int i = 0; i <= waiting; i++) {
          managers.add(LockManager.create(patient(server.url())));
        }
        return cost(managers, client);
      } finally {
        managers.forEach(LockManager::close);
      }
    }
  }

  private static Cost cost(List<LockManager> managers, RespClient client) throws Exception {
    int waiting = managers.size() - 1;
    long began = System.nanoTime();
    DistributedLock first = managers.get(0).getLock("k");
    Lease held = first.acquire();
    List<CompletableFuture<Void>> done = new ArrayList<>();
    for (int i = 1; i <= waiting; i++) {
      done.add(turns(managers.get(i).getLock("k"), Math.max(1, TURNS / waiting)));
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> first.info().waiters().size() == waiting);
    Traffic before = Traffic.now(client);
    held.close();
    CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(200, TimeUnit.SECONDS);
    Traffic after = Traffic.now(client);
    long commands = after.scripts - before.scripts + waiting; // the first attempts came before
    long bytes = after.bytes - before.bytes;
    int acquisitions = waiting * Math.max(1, TURNS / waiting);
    double looks = waiting * Math.floor(secondsSince(began) / LEAST_SECONDS_BETWEEN_LOOKS);
    return new Cost(
        (double) commands / acquisitions, (double) bytes / acquisitions, looks / acquisitions);
  }

  private static double secondsSince(long began) {
    return (System.nanoTime() - began) / 1e9;
  }

  private static CompletableFuture<Void> turns(DistributedLock lock, int turns) {
    CompletableFuture<Void> one = lock.acquireAsync().thenCompose(Lease::closeAsync);
    return turns == 1 ? one : one.thenCompose(done -> turns(lock, turns - 1));
  }

  private static long number(String text, String label) {
    int start = text.indexOf(label) + label.length();
    int end = start;
    while (Character.isDigit(text.charAt(end))) {
      end++;
    }
    return Long.parseLong(text.substring(start, end));
  }
}
