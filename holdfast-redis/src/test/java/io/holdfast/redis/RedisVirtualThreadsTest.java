package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Virtual threads never wait at the sockets, which would pin their carriers. The loop thread serves
 * them, together with other threads.
 */
@Isolated
@Tag("virtual-threads")
@EnabledForJreRange(min = JRE.JAVA_21)
@Timeout(400)
class RedisVirtualThreadsTest {
  private static final int THREADS = 1_000;
  private static final int KEYS = 20;

  @Test
  void virtualThreadsAreServedTogetherWithOthers() throws Exception {
    String name = "virtual:" + UUID.randomUUID();
    int[] counters = new int[KEYS];
    ExecutorService virtual =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    ExecutorService others = Executors.newFixedThreadPool(3);
    try (LockManager manager = LockManager.create(patient(RedisServer.shared().url()));
        LockManager elsewhere = LockManager.create(patient(RedisServer.shared().url()))) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int key = i % KEYS;
        LockManager one = i % 2 == 0 ? manager : elsewhere;
        DistributedLock lock = one.getLock(name + key);
        all.add((i % 10 == 0 ? others : virtual).submit(() -> count(lock, counters, key)));
      }
      for (Future<?> each : all) {
        each.get(180, TimeUnit.SECONDS);
      }
    } finally {
      virtual.shutdownNow();
      others.shutdownNow();
    }
    assertThat(counters).containsOnly(THREADS / KEYS);
  }

  private static void count(DistributedLock lock, int[] counters, int key) {
    lock.lock();
    try {
      int before = counters[key];
      counters[key] = before + 1;
    } finally {
      lock.unlock();
    }
  }
}
