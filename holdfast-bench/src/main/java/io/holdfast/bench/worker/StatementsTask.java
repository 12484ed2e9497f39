package io.holdfast.bench.worker;

import io.holdfast.bench.lock.BenchLock;
import io.holdfast.bench.lock.ClientSettings;
import io.holdfast.bench.lock.Clients;
import io.holdfast.bench.lock.Library;
import io.holdfast.bench.lock.LockClient;
import io.holdfast.bench.lock.LockKind;
import java.util.List;

/**
 * Counts the statements of uncontended locks where the store cannot: in this process, with a client
 * of its own and outside the time that is measured, so that counting slows nothing down.
 */
final class StatementsTask implements Task {
  private static final int WARM_UP = 20;
  private static final int LOCKS = 200;

  @Override
  public Fields run(List<LockClient> clients, Fields order) throws Exception {
    String url = order.text("url");
    CountingDriver driver = CountingDriver.replace(url);
    try (LockClient client =
        Clients.connect(
            Library.valueOf(order.text("library")),
            new ClientSettings(url, LockKind.valueOf(order.text("kind")), null))) {
      BenchLock lock = client.lock(order.text("key"));
      take(lock, WARM_UP);
      long before = driver.statements();
      take(lock, LOCKS);
      return new Fields().with("statements", driver.statements() - before).with("locks", LOCKS);
    } finally {
      driver.restore();
    }
  }

  private static void take(BenchLock lock, int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      lock.release(lock.acquire());
    }
  }
}
