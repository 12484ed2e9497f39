package io.holdfast.torture.history;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/**
 * Writes the history of one process to a file of its own. Each event is one write to the operating
 * system before the method returns, so that a kill -9 of the process loses nothing but the event
 * that is being written; the reader passes over a last line that is torn. It may be used by several
 * threads; their lines need not stand in the order of their times.
 *
 * <pre>{@code
 * try (HistoryWriter history = new HistoryWriter(directory.resolve("client-1.history"), "client-1")) {
 *   long op = history.nextOp();
 *   history.record(thread, op, Phase.INVOKE, Action.ACQUIRE, key, Map.of(Detail.PRIMITIVE, "lock"));
 *   Lease lease = lock.acquire();
 *   history.record(thread, op, Phase.OK, Action.ACQUIRE, key, Map.of(Detail.HOLDER, "client-1/7"));
 * }
 * }</pre>
 */
public final class HistoryWriter implements AutoCloseable {
  private final String client;
  private final OutputStream file;
  private long ops;

  /** Begins a file, or goes on with it. */
  public HistoryWriter(Path path, String client) {
    this.client = client;
    try {
      this.file = Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A number for an operation, from 1. */
  public synchronized long nextOp() {
    return ++ops;
  }

  /** Writes an event of now. */
  public void record(
      String thread, long op, Phase phase, Action action, String key, Map<String, String> details) {
    write(new HistoryEvent(System.nanoTime(), client, thread, op, phase, action, key, details));
  }

  /** Writes an event whose time was read before. */
  public void write(HistoryEvent event) {
    byte[] line = (HistoryLine.write(event) + "\n").getBytes(StandardCharsets.US_ASCII);
    synchronized (this) {
      try {
        file.write(line);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public synchronized void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
