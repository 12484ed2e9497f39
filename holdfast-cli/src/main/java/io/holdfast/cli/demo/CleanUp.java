package io.holdfast.cli.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes everything that was put into its care, the latest first: at the end of the demo, or when
 * the JVM is told to stop (Ctrl-C), whichever comes first.
 */
final class CleanUp implements AutoCloseable {
  private final Deque<AutoCloseable> things = new ArrayDeque<>();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread hook = new Thread(this::stop, "demo-clean-up");
  private boolean closed;

  CleanUp() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Takes care of a thing. */
  synchronized <T extends AutoCloseable> T own(T thing) {
    things.push(thing);
    if (closed) { // the demo was stopped while the thing was being made
      close();
    }
    return thing;
  }

  /** Takes care of a thing that others take care of when the JVM is told to stop. */
  <T extends AutoCloseable> T ownUnlessStopped(T thing) {
    own(
        () -> {
          if (stopping.getCount() > 0) {
            thing.close();
          }
        });
    return thing;
  }

  /**
   * True if the JVM is being stopped, or will be within a second: Ctrl-C reaches the workers as
   * well, and they may be faster to go.
   */
  boolean isStopping() throws InterruptedException {
    return stopping.await(1, TimeUnit.SECONDS);
  }

  private void stop() {
    stopping.countDown();
    try {
      close();
      System.err.println("\nholdfast demo: stopped and cleaned up");
    } catch (RuntimeException e) {
      System.err.println("\nholdfast demo: stopped; " + e.getMessage());
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    @Nullable RuntimeException trouble = null;
    while (!things.isEmpty()) {
      try {
        things.pop().close();
      } catch (Exception e) { // AutoCloseable allows any
        trouble = e instanceof RuntimeException known ? known : new IllegalStateException(e);
      }
    }
    if (stopping.getCount() > 0) {
      removeHook();
    }
    if (trouble != null) {
      throw trouble;
    }
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM is stopping at this very moment; the hook will find nothing to do
    }
  }
}
