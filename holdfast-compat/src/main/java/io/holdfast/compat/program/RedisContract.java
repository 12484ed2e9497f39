package io.holdfast.compat.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.FaultyProxy;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testkit.RedisServer;
import io.holdfast.testkit.RespClient;
import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReentrantLockContract;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of the lock, and a few faults, on Redis. */
public final class RedisContract {
  private RedisContract() {}

  /** The entry point. */
  public static void main(String[] urls) {
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
        return LockManager.builder(SERVER.url());
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
    private final LockManager direct = LockManager.create(server.url());
    private final LockManager shaky = LockManager.create(network.url());
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
      network.blackHoleReplies();
      assertThatThrownBy(() -> shaky.getLock("k").tryLock())
          .isInstanceOf(StoreUnavailableException.class);
      network.heal();
      eventually().ignoreExceptions().until(() -> shaky.getLock("k").tryLock());
      shaky.getLock("k").unlock();
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
