package io.holdfast.compat.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testkit.contract.ReentrantLockContract;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract of the lock, and a few faults, on ZooKeeper. */
public final class ZooKeeperContract {
  /** What takes seconds because the machine is busy is no fault. */
  private static final String PATIENT = "?sessionTimeout=60s&timeout=30s&connectTimeout=60s";

  private ZooKeeperContract() {}

  /** The entry point. */
  public static void main(String[] urls) {
    Contracts.run(Lock.class, Faults.class);
  }

  /** Each test has a place of its own, and leases and sessions take most of their time. */
  @Execution(ExecutionMode.CONCURRENT)
  static class Lock extends ReentrantLockContract {
    @Override
    protected EngineUnderTest engine() {
      String place = "/contract-" + UUID.randomUUID();
      return new Engine(place, ZooKeeperNodes.connect(ZooKeeperServer.shared()));
    }

    private record Engine(String place, ZooKeeperNodes nodes) implements EngineUnderTest {
      @Override
      public LockManagerBuilder newManager() {
        return LockManager.builder("zookeeper://" + ZooKeeperServer.shared() + place + PATIENT);
      }

      @Override
      public void removeByHand(String key) {
        String folder = place + "/holdfast/" + key;
        nodes.children(folder).stream()
            .min(Comparator.comparing(name -> name.substring(name.lastIndexOf('~') + 1)))
            .ifPresent(first -> nodes.deleteAll(folder + "/" + first));
      }

      @Override
      public void forgetEverything() {
        nodes.deleteAll(place + "/holdfast");
      }

      @Override
      public Collection<String> leftoversOf(String key) {
        List<String> leftovers = new ArrayList<>();
        for (String name : nodes.children(place + "/holdfast")) {
          if (name.contains(key)) {
            leftovers.add(name + " " + nodes.children(place + "/holdfast/" + name));
          }
        }
        return leftovers;
      }

      @Override
      public boolean canTellWhetherAnybodyHadIt() {
        return false;
      }

      @Override
      public boolean knowsWhoCameFirst() {
        return false;
      }

      @Override
      public void close() {
        nodes.deleteAll(place);
        nodes.close();
      }
    }
  }

  @Timeout(120)
  @Execution(ExecutionMode.CONCURRENT)
  static class Faults {
    private static final String IMPATIENT = "?sessionTimeout=60s&timeout=1s&connectTimeout=60s";

    private final ZooKeeperServer server = ZooKeeperServer.start();
    private final FaultyProxy network = FaultyProxy.to("127.0.0.1", server.port());
    private final LockManager direct = LockManager.create(server.url() + PATIENT);
    private final LockManager shaky =
        LockManager.create("zookeeper://127.0.0.1:" + network.port() + IMPATIENT);
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
      DistributedLock lock = shaky.getLock("k");
      lock.lock();
      network.cut();
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock();
      eventually().until(() -> direct.getLock("k").tryLock());
      direct.getLock("k").unlock();
    }

    @Test
    void aWaiterSurvivesACutConnectionAndGetsTheLock() {
      DistributedLock held = direct.getLock("k");
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
      eventually().until(() -> shaky.getLock("k").tryLock());
      shaky.getLock("k").unlock();
    }

    @Test
    void waitersGoOnAfterARestart() {
      DistributedLock held = direct.getLock("k");
      held.lock();
      Future<Boolean> waiting = other.startRun(() -> shaky.getLock("k").lock());
      eventually().until(() -> held.info().waiters().size() == 1);
      server.restart();
      held.unlock();
      OtherThread.get(waiting);
      other.run(() -> shaky.getLock("k").unlock());
    }

    private static ConditionFactory eventually() {
      return Awaitility.await()
          .pollInSameThread()
          .atMost(Duration.ofSeconds(60))
          .ignoreException(StoreUnavailableException.class)
          .pollInterval(Duration.ofMillis(10));
    }
  }
}
