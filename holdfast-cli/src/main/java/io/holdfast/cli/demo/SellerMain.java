package io.holdfast.cli.demo;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testkit.ParentProcess;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * The main class of a worker process. It connects, says {@code READY}, and then sells whenever its
 * parent names a {@link Round}, until the parent says {@code END} or is gone. Each answer is one
 * line; {@link WorkerProcess} is the other side. The server is named by an environment variable,
 * because its URL may hold a password and arguments are seen by everyone on the machine.
 */
final class SellerMain {
  static final String URL_VARIABLE = "HOLDFAST_URL";
  static final String READY = "READY";
  static final String END = "END";
  static final String SOLD_OUT = "SOLD_OUT ";
  static final String FAILED = "FAILED ";

  private SellerMain() {}

  /** Takes the key of the stock and the number of threads. */
  public static void main(String[] args) throws InterruptedException {
    ParentProcess parent = ParentProcess.connect();
    String url = System.getenv(URL_VARIABLE);
    DemoKeys keys = DemoKeys.of(args[0]);
    int threads = Integer.parseInt(args[1]);
    try (LockManager manager =
            LockManager.builder(StockServer.patient(url)).application("holdfast demo").build();
        StockConnection connection = new StockConnection(url)) {
      RedisCommands<String, String> redis = connection.commands();
      DistributedLock lock = manager.getLock(keys.lock());
      parent.tell(READY);
      for (String command = parent.next(); !command.equals(END); command = parent.next()) {
        WorkerReport report = sell(Round.valueOf(command), threads, redis, keys, lock);
        parent.tell(SOLD_OUT + report.encoded());
      }
    } catch (RuntimeException e) {
      Throwable cause = e instanceof CompletionException ? e.getCause() : e;
      parent.tell(FAILED + String.valueOf(cause).replaceAll("\\s+", " "));
      e.printStackTrace();
      System.exit(1);
    }
    System.exit(0);
  }

  private static WorkerReport sell(
      Round round,
      int threads,
      RedisCommands<String, String> redis,
      DemoKeys keys,
      DistributedLock lock)
      throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Histogram>> sellers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        sellers.add(pool.submit(() -> new Seller(redis, keys, lock).sell(round)));
      }
      Histogram waits = WorkerReport.newHistogram();
      for (Future<Histogram> seller : sellers) {
        waits.add(seller.get());
      }
      return new WorkerReport(waits);
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }
}
