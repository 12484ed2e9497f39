package io.holdfast.testkit;

import io.holdfast.testkit.internal.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The parent as seen by the main class of a {@link ChildJvm}: commands come from it, line by line,
 * and answers go back. When the parent is gone, however it went, the child is halted at once.
 *
 * <pre>{@code
 * public static void main(String[] args) throws InterruptedException {
 *   ParentProcess parent = ParentProcess.connect();
 *   lock.lock();
 *   parent.tell("LOCKED");
 *   parent.await("unlock");
 *   lock.unlock();
 * }
 * }</pre>
 *
 * <p>It takes over standard input and output: nothing else should use them. Safe for use by several
 * threads.
 */
public final class ParentProcess {
  private static @Nullable ParentProcess instance;

  private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private ParentProcess() {}

  /** The parent of this process; the same object for each call. */
  public static synchronized ParentProcess connect() {
    if (instance == null) {
      ParentProcess parent = new ParentProcess();
      Threads.daemon("parent-watch", parent::readCommands);
      instance = parent;
    }
    return instance;
  }

  /** The next line from the parent. */
  public String next() throws InterruptedException {
    return commands.take();
  }

  /** The next line from the parent, or null if none comes in time. */
  public @Nullable String poll(Duration limit) throws InterruptedException {
    return commands.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Waits for exactly this line, and skips others. */
  public void await(String command) throws InterruptedException {
    while (!next().equals(command)) {
      // not yet
    }
  }

  /** Sends a line to the parent. */
  public void tell(String line) {
    out.println(line);
  }

  private void readCommands() {
    try {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        commands.add(line);
      }
    } catch (IOException e) {
      // the same as an end
    }
    // No exit: its hooks could wait for the very parent that is gone.
    Runtime.getRuntime().halt(ChildJvm.PARENT_GONE);
  }
}
