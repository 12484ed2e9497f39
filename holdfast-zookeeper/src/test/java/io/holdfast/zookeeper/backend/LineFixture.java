package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TimeSource;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A session, an engine context, and a line whose nodes the test itself creates. */
abstract class LineFixture implements ZooKeeperClient.Listener, BackendSignals {
  final String servers = ZooKeeperServer.shared();
  final ZooKeeperNodes nodes = ZooKeeperNodes.connect(servers);
  final ZooKeeperSettings settings =
      new ZooKeeperSettings(
          servers,
          "",
          Duration.ofMinutes(5),
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          null,
          null);
  final ZooKeeperClient client = new ZooKeeperClient(settings, TimeSource.system(), this);
  final Session session = client.open();
  final Paths paths = new Paths("");
  final EngineContext engine =
      new EngineContext(
          new BackendContext(
              new ClientIdentity("client", "host", 1, "test"),
              this,
              TimeSource.system(),
              (delay, task) -> () -> {}),
          paths,
          new Fence(paths),
          new ServerClock(),
          new LeaseBook(),
          new SoleUser(paths),
          Duration.ofSeconds(30));
  final Resource resource;

  LineFixture(Resource.Kind kind) {
    resource = new Resource(kind, "line:" + UUID.randomUUID());
  }

  @BeforeEach
  final void makeLine() {
    paths.make(session, resource).join();
  }

  @AfterEach
  final void removeLine() {
    nodes.deleteAll(paths.of(resource));
    nodes.close();
    client.close();
  }

  final AcquireRequest request(Owner owner, Claim claim) {
    return new AcquireRequest(resource, owner, claim, 30_000, "thread", true, 3000, "");
  }

  final String create(Session by, AcquireRequest request) {
    String prefix = Ticket.prefix(resource.kind(), request.claim(), request.owner());
    return by.create(paths.child(resource, prefix), new byte[0], CreateMode.EPHEMERAL_SEQUENTIAL)
        .join()
        .path();
  }

  /** The place of an owner that has a node. */
  final Place placeWithNode(AcquireRequest request) {
    Place place = new Place(engine, session, request, false);
    place.creating(request);
    String path = create(session, request);
    place.created(path.substring(path.lastIndexOf('/') + 1), session.stat(path, null).join());
    return place;
  }

  final List<String> line() {
    return nodes.children(paths.of(resource));
  }

  @Override
  public void connected(Session connected) {}

  @Override
  public void ended(Session ended) {}

  @Override
  public void granted(Resource granted, Owner to, PushedGrant grant) {}

  @Override
  public void changed(Owner waiter) {}

  @Override
  public void contended(Owner holder) {}

  @Override
  public void lost(Owner holder) {}

  @Override
  public void reconnected() {}
}
