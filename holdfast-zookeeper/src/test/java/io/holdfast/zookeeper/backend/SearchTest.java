package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.ZooKeeperNodes;
import io.holdfast.testkit.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A create was not answered: is there a node, and whose is it? */
@Timeout(60)
class SearchTest implements ZooKeeperClient.Listener, BackendSignals {
  private final String servers = ZooKeeperServer.shared();
  private final ZooKeeperNodes nodes = ZooKeeperNodes.connect(servers);
  private final ZooKeeperSettings settings =
      new ZooKeeperSettings(
          servers,
          "",
          Duration.ofSeconds(20),
          Duration.ofSeconds(20),
          Duration.ofSeconds(10),
          null,
          null);
  private final ZooKeeperClient present = new ZooKeeperClient(settings, this);
  private final ZooKeeperClient former = new ZooKeeperClient(settings, this);
  private final Session session = present.open();
  private final Session dying = former.open();
  private final Resource lock = Resource.lock("search:" + UUID.randomUUID());
  private final Owner owner = new Owner("client", "tenure");
  private final Paths paths = new Paths("");
  private final Parts parts =
      new Parts(
          new BackendContext(
              new ClientIdentity("client", "host", 1, "test"),
              this,
              TimeSource.system(),
              (delay, task) -> () -> {}),
          paths,
          new Fence(paths),
          new ServerClock(),
          new LeaseBook(),
          Duration.ofSeconds(10));
  private final AcquireRequest request =
      new AcquireRequest(lock, owner, Claim.EXCLUSIVE, 30_000, "thread", true, 3000, "");
  private final Place uncertain = new Place(parts, session, request, true);

  @BeforeEach
  void makeLine() {
    paths.make(session, lock).join();
  }

  @AfterEach
  void close() {
    nodes.deleteAll(paths.of(lock));
    nodes.close();
    present.close();
    former.close();
  }

  private String create(Session by) {
    String prefix = Ticket.prefix(Resource.Kind.LOCK, Claim.EXCLUSIVE, owner);
    return by.create(
            paths.child(lock, prefix), uncertain.stored().bytes(), CreateMode.EPHEMERAL_SEQUENTIAL)
        .join()
        .path();
  }

  private AcquireResult attempt() {
    return new Attempt(uncertain, request, new Leases(parts)).step().join();
  }

  private List<String> line() {
    return nodes.children(paths.of(lock));
  }

  @Test
  void aNodeOfThisSessionIsAdopted() {
    String created = create(session);
    assertThat(attempt()).isInstanceOf(AcquireResult.Granted.class);
    assertThat(line()).hasSize(1);
    assertThat(nodes.stat(created)).isNotNull();
  }

  @Test
  void aNodeOfASessionThatIsDyingIsNotAdoptedButRemoved() {
    String left = create(dying);
    assertThat(attempt()).isInstanceOf(AcquireResult.Granted.class);
    assertThat(nodes.stat(left)).isNull();
    assertThat(line()).hasSize(1);
    assertThat(
            Objects.requireNonNull(nodes.stat(paths.child(lock, line().get(0))))
                .getEphemeralOwner())
        .isEqualTo(session.id());
  }

  @Test
  void ofSeveralNodesTheFirstIsKept() {
    String left = create(dying);
    String first = create(session);
    String second = create(session);
    assertThat(attempt()).isInstanceOf(AcquireResult.Granted.class);
    assertThat(nodes.stat(left)).isNull();
    assertThat(nodes.stat(first)).isNotNull();
    assertThat(nodes.stat(second)).isNull();
  }

  @Test
  void whereThereIsNoneOneIsCreated() {
    assertThat(attempt()).isInstanceOf(AcquireResult.Granted.class);
    assertThat(line()).hasSize(1);
  }

  @Test
  void givingUpRemovesThemAll() {
    create(dying);
    create(session);
    create(session);
    ReleaseResult result = new Departure(uncertain).run().join();
    assertThat(result).isInstanceOf(ReleaseResult.NotHeld.class);
    assertThat(line()).isEmpty();
  }

  @Override
  public void connected(Session connected) {}

  @Override
  public void ended(Session ended) {}

  @Override
  public void granted(Resource resource, Owner to, PushedGrant grant) {}

  @Override
  public void changed(Owner waiter) {}

  @Override
  public void wanted(Owner holder) {}

  @Override
  public void lost(Owner holder) {}

  @Override
  public void reconnected() {}
}
