package io.holdfast.bench.worker;

import io.holdfast.bench.lock.BenchLock;
import io.holdfast.bench.lock.ClientSettings;
import io.holdfast.bench.lock.Clients;
import io.holdfast.bench.lock.Library;
import io.holdfast.bench.lock.LockKind;
import io.holdfast.testkit.ParentProcess;

/** The main class of a process that takes one lock and says so: from cold to the first lock. */
public final class FirstLockMain {
  /** Said when the lock is held, followed by the number of threads the library has started. */
  public static final String LOCKED = "LOCKED ";

  private FirstLockMain() {}

  /** Takes library, kind and URL. */
  public static void main(String[] args) throws InterruptedException {
    ParentProcess parent = ParentProcess.connect();
    int before = Thread.getAllStackTraces().size();
    BenchLock lock =
        Clients.connect(
                Library.valueOf(args[0]),
                new ClientSettings(args[2], LockKind.valueOf(args[1]), null))
            .lock("first");
    Object held = lock.acquire();
    parent.tell(LOCKED + (Thread.getAllStackTraces().size() - before));
    parent.await("END");
    lock.release(held);
    parent.tell(WorkerMain.DONE);
    System.exit(0); // the library may have threads that would keep this process
  }
}
