package io.holdfast.bench.fault;

import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.bench.worker.Fields;
import io.holdfast.testkit.ParentProcess;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a process that takes a lock and tells, with the time, what happens to it. The
 * times are of the monotonic clock, which is the same for all processes of a machine.
 */
final class ContenderMain {
  private final ParentProcess parent;
  private final LockManager manager;
  private volatile @Nullable Lease lease;

  private ContenderMain(ParentProcess parent, LockManager manager) {
    this.parent = parent;
    this.manager = manager;
  }

  /** Takes the URL and the lease in milliseconds. */
  public static void main(String[] args) throws InterruptedException {
    ParentProcess parent = ParentProcess.connect();
    Duration lease = Duration.ofMillis(Long.parseLong(args[1]));
    LockManager manager =
        LockManager.builder(args[0])
            .defaults(LockConfig.builder().leaseTime(lease).build())
            .build();
    ContenderMain contender = new ContenderMain(parent, manager);
    contender.tell(Happening.Kind.READY, 0, "");
    while (true) {
      String line = parent.next();
      int space = line.indexOf(' ');
      if (line.startsWith("acquire ")) {
        String key = line.substring(space + 1);
        thread("acquire", () -> contender.acquire(key));
      } else if (line.equals("release")) {
        thread("release", contender::release);
      } else {
        throw new IllegalArgumentException("no such thing to do: " + line);
      }
    }
  }

  private void acquire(String key) {
    try {
      Lease got = manager.getLock(key).acquire();
      tell(Happening.Kind.GOT, got.token(), "");
      lease = got;
      got.onLost(loss -> tell(Happening.Kind.TOLD, got.token(), loss.reason().name()));
      thread("watch", () -> watch(got));
    } catch (RuntimeException e) {
      tell(Happening.Kind.FAILED, 0, e.toString());
    }
  }

  /** The belief ends by the clock alone, without a message from anyone. */
  private void watch(Lease got) {
    try {
      while (got.isValid()) {
        TimeUnit.MICROSECONDS.sleep(500);
      }
      tell(Happening.Kind.INVALID, got.token(), "");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void release() {
    Lease held = lease;
    long before = System.nanoTime();
    try {
      if (held != null) {
        held.close();
      }
      tell(Happening.Kind.RELEASED, before, "");
    } catch (RuntimeException e) {
      tell(Happening.Kind.RELEASED, before, e.toString());
    }
  }

  private void tell(Happening.Kind kind, long number, String text) {
    parent.tell(
        new Fields()
            .with("kind", kind)
            .with("nanos", System.nanoTime())
            .with("number", number)
            .with("text", text)
            .toString());
  }

  private static void thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
