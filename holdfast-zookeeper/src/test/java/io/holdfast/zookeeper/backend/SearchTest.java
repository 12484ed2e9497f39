package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TimeSource;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** After a create without an answer: whether there is a node, and of which session. */
@Timeout(300)
class SearchTest extends LineFixture {
  private final ZooKeeperClient former = new ZooKeeperClient(settings, TimeSource.system(), this);
  private final Session dying = former.open();
  private final AcquireRequest request = request(new Owner("client", "tenure"), Claim.EXCLUSIVE);
  private final Place uncertain = new Place(engine, session, request, true);

  SearchTest() {
    super(Resource.Kind.LOCK);
  }

  @AfterEach
  void close() {
    former.close();
  }

  private AcquireResult attempt() {
    return new Attempt(uncertain, request, new Leases(engine), () -> {}).run().join();
  }

  @Test
  void aNodeOfThisSessionIsAdopted() {
    String created = create(session, request);
    assertThat(attempt()).isInstanceOf(AcquireResult.Granted.class);
    assertThat(line()).hasSize(1);
    assertThat(nodes.stat(created)).isNotNull();
  }

  @Test
  void aNodeOfADyingSessionIsDeletedNotAdopted() {
    String left = create(dying, request);
    assertThat(attempt()).isInstanceOf(AcquireResult.Granted.class);
    assertThat(nodes.stat(left)).isNull();
    assertThat(line()).hasSize(1);
    assertThat(
            Objects.requireNonNull(nodes.stat(paths.child(resource, line().get(0))))
                .getEphemeralOwner())
        .isEqualTo(session.id());
  }

  @Test
  void theFirstOfSeveralNodesIsKept() {
    String left = create(dying, request);
    String first = create(session, request);
    String second = create(session, request);
    assertThat(attempt()).isInstanceOf(AcquireResult.Granted.class);
    assertThat(nodes.stat(left)).isNull();
    assertThat(nodes.stat(first)).isNotNull();
    assertThat(nodes.stat(second)).isNull();
  }

  @Test
  void aNodeIsCreatedIfThereIsNone() {
    assertThat(attempt()).isInstanceOf(AcquireResult.Granted.class);
    assertThat(line()).hasSize(1);
  }

  @Test
  void aDepartureDeletesAllNodes() {
    create(dying, request);
    create(session, request);
    create(session, request);
    ReleaseResult result = new Departure(uncertain).run().join();
    assertThat(result).isInstanceOf(ReleaseResult.NotHeld.class);
    assertThat(line()).isEmpty();
  }
}
