package io.holdfast.testservers;

import io.holdfast.testkit.internal.Threads;
import io.holdfast.testkit.internal.Waiting;
import io.holdfast.testservers.ProxyConditions.Direction;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One direction of a {@link ProxyLink}.
 *
 * <pre>
 *   socket -> reader -> queue of (bytes, when due) -> writer -> socket
 * </pre>
 *
 * <p>The reader never waits for a delay, so a delay adds latency without limiting throughput. Both
 * ask whether to swallow: the reader because bytes that enter a black hole must not come out of it
 * when it is healed, the writer because bytes under way when it opens must not arrive.
 *
 * <p>Swallowing sets {@code lost} and then looks at the conditions again; healing changes the
 * conditions and then looks at {@code lost}. Whichever comes second sees the other and closes the
 * link.
 */
final class ProxyPump {
  private static final int BUFFER = 16 * 1024;
  private static final int QUEUE = 1024;
  private static final long SETTLE_SECONDS = 1;

  private record Chunk(Kind kind, ByteBuffer bytes, long dueNanos) {
    enum Kind {
      DATA,
      END,
      BROKEN
    }
  }

  private final Direction direction;
  private final Socket from;
  private final Socket to;
  private final ProxyConditions conditions;
  private final ProxyLink link;
  private final BlockingQueue<Chunk> queue = new LinkedBlockingQueue<>(QUEUE);
  private final ReentrantLock writing = new ReentrantLock();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean lost;

  ProxyPump(
      Direction direction, Socket from, Socket to, ProxyConditions conditions, ProxyLink link) {
    this.direction = direction;
    this.from = from;
    this.to = to;
    this.conditions = conditions;
    this.link = link;
  }

  void start() {
    synchronized (threads) {
      threads.add(Threads.daemon("proxy-reader", this::readAll));
      threads.add(Threads.daemon("proxy-writer", this::writeAll));
    }
  }

  void interrupt() {
    synchronized (threads) {
      threads.forEach(Thread::interrupt);
    }
  }

  void awaitEnd() {
    List<Thread> started;
    synchronized (threads) {
      started = List.copyOf(threads);
    }
    started.forEach(Threads::join);
  }

  /** Returns when no write decided under earlier conditions is still under way. */
  void conditionsChanged() {
    try {
      // A peer that reads nothing may block a write for good; then there is nothing to wait for.
      if (writing.tryLock(SETTLE_SECONDS, TimeUnit.SECONDS)) {
        writing.unlock();
      }
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
    if (lost && !link.swallows(direction)) {
      link.close();
    }
  }

  void lose(int bytes) {
    lost = true;
    conditions.tally(direction).swallowed().add(bytes);
    if (!link.swallows(direction)) {
      link.close();
    }
  }

  private void readAll() {
    try {
      Chunk.Kind last = Chunk.Kind.DATA;
      while (last == Chunk.Kind.DATA) {
        Chunk chunk = read();
        last = chunk.kind();
        int length = chunk.bytes().remaining();
        if (link.swallows(direction)) {
          lose(length);
        } else {
          queue.put(chunk);
        }
        conditions.tally(direction).received().add(length);
      }
    } catch (InterruptedException e) {
      // the link is closed
    }
  }

  private Chunk read() {
    byte[] buffer = new byte[BUFFER];
    Chunk.Kind kind;
    int length = 0;
    try {
      length = from.getInputStream().read(buffer);
      kind = length < 0 ? Chunk.Kind.END : Chunk.Kind.DATA;
    } catch (IOException e) {
      kind = Chunk.Kind.BROKEN;
    }
    long due = System.nanoTime() + conditions.delayNanos();
    return new Chunk(kind, ByteBuffer.wrap(buffer, 0, Math.max(length, 0)), due);
  }

  private void writeAll() {
    try {
      Chunk chunk;
      do {
        chunk = queue.take();
        waitUntil(chunk.dueNanos());
        conditions.awaitPassage(direction);
        write(chunk);
      } while (chunk.kind() == Chunk.Kind.DATA);
    } catch (InterruptedException e) {
      // the link is closed
    } catch (IOException e) {
      link.close();
    }
  }

  /** Not with sleep(), which before Java 21 takes whole milliseconds. */
  private static void waitUntil(long dueNanos) throws InterruptedException {
    for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  private void write(Chunk chunk) throws IOException {
    writing.lock();
    try {
      if (lost || link.swallows(direction)) {
        lose(chunk.bytes().remaining());
        return;
      }
      switch (chunk.kind()) {
        case DATA -> {
          // Counted first: whoever has seen the bytes must find them counted.
          conditions.tally(direction).delivered().add(chunk.bytes().remaining());
          to.getOutputStream().write(chunk.bytes().array(), 0, chunk.bytes().remaining());
        }
        case END -> {
          to.shutdownOutput();
          link.directionEnded();
        }
        case BROKEN -> link.close();
      }
    } finally {
      writing.unlock();
    }
  }
}
