package io.holdfast.bench.worker;

import io.holdfast.bench.lock.BenchLock;
import io.holdfast.bench.lock.LockClient;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How much heap lock objects take: used heap after full collections, before and after many of them
 * were made, and again when all are held. The keys are made beforehand and not counted.
 */
final class HeapTask implements Task {
  private static final int WARM_UP = 200;

  /** Kept, so that they are in every reading. */
  private String[] keys = {};

  @Override
  public Fields run(List<LockClient> clients, Fields order) throws InterruptedException {
    int count = (int) order.number("count");
    LockClient client = clients.get(0);
    for (int i = 0; i < WARM_UP; i++) {
      BenchLock lock = client.lock(order.text("key") + ":warm:" + i);
      lock.release(lock.acquire());
    }
    keys = new String[count];
    for (int i = 0; i < count; i++) {
      keys[i] = order.text("key") + ":" + i;
    }
    BenchLock[] locks = new BenchLock[count];
    Object[] held = new Object[count];
    long before = usedHeap();
    for (int i = 0; i < count; i++) {
      locks[i] = client.lock(keys[i]);
    }
    long idle = usedHeap();
    for (int i = 0; i < count; i++) {
      held[i] = locks[i].acquire();
    }
    long busy = usedHeap();
    for (int i = 0; i < count; i++) {
      locks[i].release(held[i]);
    }
    return new Fields().with("idleBytes", idle - before).with("heldBytes", busy - idle);
  }

  /** Until it does not shrink any more: reference queues are emptied by other threads. */
  static long usedHeap() throws InterruptedException {
    long smallest = Long.MAX_VALUE;
    for (int unchanged = 0; unchanged < 3; ) {
      System.gc();
      TimeUnit.MILLISECONDS.sleep(50);
      long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      unchanged = used < smallest ? 0 : unchanged + 1;
      smallest = Math.min(smallest, used);
    }
    return smallest;
  }
}
