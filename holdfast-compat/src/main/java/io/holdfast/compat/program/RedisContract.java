package io.holdfast.compat.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReentrantLockContract;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of the lock, and a few faults, on Redis. */
public final class RedisContract {
  /** What takes seconds because the machine is busy is no fault. */
  private static final String PATIENT = "?timeout=60s";

  private RedisContract() {}

  /** The entry point. */
  public static void main(String[] urls) throws Exception {
    Consumer.lockOn(urls[0]); // also says which driver there is
    Contracts.run(Lock.class, Faults.class);
  }

  static class Lock extends ReentrantLockContract {
    private static final RedisServer SERVER = RedisServer.builder().start();

    @AfterAll
    static void stop() {
      SERVER.close();
    }

    @Override
    protected EngineUnderTest engine() {
      return new Engine(SERVER.client());
    }

    private record Engine(RespClient client) implements EngineUnderTest {
      @Override
      public LockManagerBuilder newManager() {
        return LockManager.builder(SERVER.url() + PATIENT);
      }

      @Override
      public void removeByHand(String key) {
        client.call("DEL", key);
      }

      @Override
      public void forgetEverything() {
        client.call("FLUSHALL");
      }

      @Override
      public Collection<String> leftoversOf(String key) {
        return client.list("KEYS", "*" + key + "*").stream().map(String::valueOf).toList();
      }

      @Override
      public void close() {
        client.close();
      }
    }
  }

  @Timeout(120)
  static class Faults {
    private static final Duration LEASE = Duration.ofSeconds(60);

    private final RedisServer server = RedisServer.builder().start();
    private final FaultyProxy network = FaultyProxy.to(server);
    private final LockManager direct = LockManager.create(server.url() + PATIENT);
    private final LockManager shaky = LockManager.create(network.url() + PATIENT);
    private final OtherThread other = new OtherThread("other");

    @AfterEach
    void close() {
      network.heal();
      other.close();
      shaky.close();
      direct.close();
      network.close();
      server.close();
    }

    @Test
    void aHeldLockSurvivesACutConnection() {
      DistributedLock lock = shaky.getLock(lasting("k"));
      lock.lock();
      network.cut();
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock(); // returns before a release that is repeated is known to have worked
      eventually().until(() -> direct.getLock("k").tryLock());
      direct.getLock("k").unlock();
    }

    @Test
    void aWaiterSurvivesACutConnectionAndGetsTheLock() {
      DistributedLock held = direct.getLock(lasting("k"));
      held.lock();
      Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
      eventually().until(() -> held.info().waiters().size() == 1);
      network.cut();
      held.unlock();
      OtherThread.get(waiting);
      other.run(() -> shaky.getLock("k").unlock());
    }

    @Test
    void aNetworkThatSwallowsRepliesIsAFault() {
      // Connecting may take long on a busy machine; the silence that is a fault need not.
      try (LockManager impatient =
          eventually()
              .ignoreExceptions()
              .until(() -> LockManager.create(network.url() + "?timeout=2s"), Objects::nonNull)) {
        DistributedLock lock = impatient.getLock("k");
        network.blackHoleReplies();
        assertThatThrownBy(lock::tryLock).isInstanceOf(StoreUnavailableException.class);
        network.heal();
        eventually().ignoreExceptions().until(lock::tryLock);
        lock.unlock();
      }
    }

    @Test
    void waitersGoOnAfterARestartWithoutData() {
      DistributedLock held = direct.getLock(lasting("k"));
      held.lock();
      long token = held.fencingToken();
      Future<Long> waiting =
          other.start(
              () -> {
                DistributedLock lock = shaky.getLock("k");
                lock.lock();
                long next = lock.fencingToken();
                lock.unlock();
                return next;
              });
      eventually().until(() -> held.info().waiters().size() == 1);
      server.kill();
      server.restart();
      assertThat(OtherThread.get(waiting)).isGreaterThan(token);
    }

    private static LockConfig lasting(String key) {
      return LockConfig.builder().lockKey(key).leaseTime(LEASE).build();
    }

    private static ConditionFactory eventually() {
      return Awaitility.await()
          .pollInSameThread()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(5));
    }
  }
}
