package io.holdfast.jdbc.backend;

import io.holdfast.spi.BackendException;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs requests on a few threads, each with a connection for as long as the request takes. A
 * request that conflicts with another process is repeated at once; any other fault closes the
 * connection and is reported. Requests of this process for one key run in the order of their
 * arrival, so they do not conflict with each other in the database.
 *
 * <p>A request that was queued for longer than the time-out does not begin: its caller knows that
 * the result is unknown, and its next request must not be overtaken. Threads are never interrupted,
 * because some drivers react by closing the database.
 */
final class Database implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Database.class);
  private static final int MAX_QUEUE_LENGTH = 10_000;
  private static final long MIN_PAUSE_NANOS = 100_000;
  private static final long MAX_PAUSE_NANOS = 20_000_000;

  /** Work that uses a connection. */
  interface Work<T> {
    T run(Session session) throws SQLException;
  }

  private final ConnectionSource source;
  private final Strategy strategy;
  private final Settings settings;
  private final LongSupplier nanoTime;
  private final ThreadPoolExecutor workers;
  private final KeyedExecutor byKey;

  Database(ConnectionSource source, Strategy strategy, Settings settings, LongSupplier nanoTime) {
    this.source = source;
    this.strategy = strategy;
    this.settings = settings;
    this.nanoTime = nanoTime;
    AtomicInteger number = new AtomicInteger();
    this.workers =
        new ThreadPoolExecutor(
            settings.connections(),
            settings.connections(),
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_QUEUE_LENGTH),
            task -> {
              Thread thread = new Thread(task, "holdfast-jdbc-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    workers.allowCoreThreadTimeOut(true);
    this.byKey = new KeyedExecutor(workers, Database::refuse);
  }

  /**
   * Changes rows in one atomic operation.
   *
   * @return completes on a worker thread; fails with a {@link BackendException} if another try
   *     would fail too, and with another exception if the result is unknown
   */
  <T> CompletableFuture<Strategy.Outcome<T>> change(
      Collection<Resource> keys, Function<Rows, T> step) {
    return submit(
        oneOf(keys), deadline -> repeat(session -> strategy.change(session, keys, step), deadline));
  }

  /** Acquires a key, or permits of it. */
  <T> CompletableFuture<Strategy.Outcome<T>> take(Resource key, Function<Rows, T> step) {
    return submit(
        key.key(), deadline -> repeat(session -> strategy.take(session, key, step), deadline));
  }

  /** Releases what an owner holds of a key. */
  <T> CompletableFuture<Strategy.Outcome<T>> release(
      Resource key, Owner owner, Function<Rows, T> step) {
    return submit(
        key.key(),
        deadline -> repeat(session -> strategy.release(session, key, owner, step), deadline));
  }

  /** Reads rows without changing them. */
  CompletableFuture<Rows> read(Collection<Resource> keys, LockTable table) {
    return submit(
        oneOf(keys), deadline -> repeat(session -> table.read(session, keys, false), deadline));
  }

  /** Runs other work that changes nothing. */
  <T> CompletableFuture<T> read(Work<T> work) {
    return submit(null, deadline -> repeat(work, deadline));
  }

  /** The key by which a request is ordered; requests for several keys are not ordered. */
  private static @Nullable String oneOf(Collection<Resource> keys) {
    return keys.size() == 1 ? keys.iterator().next().key() : null;
  }

  private interface Job<T> {
    T run(long deadline) throws SQLException;
  }

  private <T> CompletableFuture<T> submit(@Nullable String key, Job<T> job) {
    CompletableFuture<T> result = new CompletableFuture<>();
    long deadline = nanoTime.getAsLong() + settings.timeout().toNanos();
    try {
      Request<T> request = new Request<>(job, deadline, result);
      if (key == null) {
        workers.execute(request);
      } else {
        byKey.execute(key, request);
      }
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(
          new RejectedExecutionException(
              workers.isShutdown()
                  ? "the connection to the database is closed"
                  : "the queue for the database is full: " + MAX_QUEUE_LENGTH + " requests",
              e));
    }
    return result;
  }

  /** A request in the queue. */
  private final class Request<T> implements Runnable {
    private final Job<T> job;
    private final long deadline;
    private final CompletableFuture<T> result;

    Request(Job<T> job, long deadline, CompletableFuture<T> result) {
      this.job = job;
      this.deadline = deadline;
      this.result = result;
    }

    @Override
    public void run() {
      T answer;
      try {
        if (nanoTime.getAsLong() - deadline > 0) {
          throw new TimeoutException(
              "waited for a connection for more than " + settings.timeout().toMillis() + " ms");
        }
        answer = job.run(deadline);
      } catch (SQLException e) {
        fail(
            SqlFaults.isLasting(e, source.dialect())
                ? SqlFaults.explain(e, source.dialect(), settings)
                : e);
        return;
      } catch (Throwable e) { // the caller must get an answer
        fail(e);
        return;
      }
      result.complete(answer);
    }

    void fail(Throwable fault) {
      result.completeExceptionally(fault);
    }
  }

  private <T> T repeat(Work<T> work, long deadline) throws SQLException {
    Session session = source.borrow();
    boolean healthy = false;
    try {
      for (int tries = 1; ; tries++) {
        try {
          T result = work.run(session);
          healthy = true;
          return result;
        } catch (SQLException e) {
          boolean again =
              SqlFaults.isConflict(e, source.dialect())
                  || SqlFaults.isDuplicate(e, source.dialect());
          if (!again) {
            throw e;
          }
          session.rollback();
          if (nanoTime.getAsLong() - deadline > 0) {
            healthy = true;
            throw e;
          }
          pause(tries);
        } catch (BackendException e) {
          session.rollback();
          healthy = true;
          throw e;
        }
      }
    } finally {
      source.giveBack(session, healthy);
    }
  }

  /**
   * The pause grows with the conflicts and is random, so that two processes do not stay in step.
   */
  private static void pause(int tries) {
    long most = Math.min(MAX_PAUSE_NANOS, MIN_PAUSE_NANOS << Math.min(tries, 10));
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(most / 4, most));
  }

  /** The number of open connections or, if they are lent, of borrowed ones. */
  int connections() {
    return source.connections();
  }

  @Override
  public void close() {
    workers.shutdown();
    List<Runnable> waiting = new ArrayList<>();
    workers.getQueue().drainTo(waiting);
    waiting.forEach(Database::refuse);
    byKey.drain().forEach(Database::refuse);
    try {
      Duration patience = Duration.ofMillis(settings.networkTimeoutMillis());
      if (!workers.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("requests to the database are still running {} after closing", patience);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    source.close();
  }

  private static void refuse(Runnable waiting) {
    if (waiting instanceof KeyedExecutor.Turn turn) {
      refuse(turn.task());
    } else if (waiting instanceof Request<?> request) {
      request.fail(new RejectedExecutionException("the connection to the database is closed"));
    }
  }
}
