package io.holdfast.testservers;

import io.holdfast.testkit.internal.Threads;
import io.holdfast.testkit.internal.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What a Redis server executed, as told by its MONITOR command; get one from {@link
 * RespClient#monitor()}. The answers are exact: {@link #commands()} sends a marker to the server
 * and reads on until it comes by, so that every command that was executed before the call is in the
 * list.
 *
 * <pre>{@code
 * try (RedisMonitor monitor = client.monitor()) {
 *   lock.lock();
 *   lock.unlock();
 *   assertThat(monitor.commands()).filteredOn(command -> !command.fromScript()).hasSize(2);
 * }
 * }</pre>
 *
 * <p>Redis itself leaves out administrative commands such as CONFIG. Safe for use by several
 * threads.
 */
public final class RedisMonitor implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final RespConnection monitored;
  private final RespConnection marking;
  private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
  private final List<Command> commands = new ArrayList<>();

  RedisMonitor(RespConnection monitored, RespConnection marking) {
    this.monitored = monitored;
    this.marking = marking;
    try {
      monitored.setTimeout(0);
      monitored.call("MONITOR");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot monitor", e);
    }
    Threads.daemon("redis-monitor", this::read);
  }

  /** The commands executed since the start, or since {@link #clear()}, in order. */
  public synchronized List<Command> commands() {
    catchUp();
    return List.copyOf(commands);
  }

  /** Forgets the commands executed so far. */
  public synchronized void clear() {
    catchUp();
    commands.clear();
  }

  @Override
  public void close() {
    try (monitored;
        marking) {
      // both are closed
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try {
      while (true) {
        lines.add(Optional.of(String.valueOf(monitored.receive())));
      }
    } catch (IOException e) {
      lines.add(Optional.empty());
    }
  }

  private void catchUp() {
    String marker = "holdfast-monitor-" + UUID.randomUUID();
    try {
      marking.call("ECHO", marker);
      for (String line = nextLine(); !line.contains(marker); line = nextLine()) {
        commands.add(Command.parse(line));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the monitored server is gone", e);
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
  }

  private String nextLine() throws InterruptedException, IOException {
    Optional<String> line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (line == null) {
      throw new IOException("the marker was not seen in " + PATIENCE_SECONDS + " s");
    }
    return line.orElseThrow(() -> new IOException("the connection was closed"));
  }

  /**
   * One executed command.
   *
   * @param database the number of the database
   * @param source address and port of the client, or {@code lua}
   * @param words the name as the client wrote it, and the arguments
   */
  public record Command(int database, String source, List<String> words) {
    static Command parse(String line) {
      return MonitorLine.parse(line);
    }

    /** The name of the command in upper case. */
    public String name() {
      return words.get(0).toUpperCase(Locale.ROOT);
    }

    /** True if a script executed the command, not a client. */
    public boolean fromScript() {
      return source.equals("lua");
    }
  }
}
