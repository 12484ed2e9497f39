package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A writer and a reader that may overtake it have both read the line and both found that it is
 * their turn: the reader before the last ordinary reader left, the writer after that.
 */
@Timeout(300)
class GrantTest extends LineFixture {
  private final AcquireRequest reading = request(new Owner("client", "reader"), Claim.READ);
  private final AcquireRequest writing = request(new Owner("client", "writer"), Claim.WRITE);
  private final AcquireRequest overtaking =
      request(new Owner("client", "overtaker"), Claim.READ_FIRST);

  GrantTest() {
    super(Resource.Kind.READ_WRITE);
  }

  private Children look() {
    return session.syncedChildren(paths.of(resource)).join();
  }

  private Verdict judge(Place place, Children children) {
    Line line = Line.of(resource, children.names());
    Verdict verdict = line.judge(Objects.requireNonNull(line.named(place.name())), Set.of());
    assertThat(verdict.turn()).isTrue();
    return verdict;
  }

  private @Nullable AcquireResult grant(Place place, AcquireRequest request, Children seen) {
    return new Grant(place, request, engine.now()).make(judge(place, seen), seen, false).join();
  }

  @Test
  void theFirstClaimHoldsAndTheOtherOwnerReadsAgain() {
    for (boolean writerFirst : new boolean[] {true, false}) {
      String reader = create(session, reading);
      Place writer = placeWithNode(writing);
      Place overtaker = placeWithNode(overtaking);
      Children seenByOvertaker = look();
      session.delete(reader, -1).join();
      Children seenByWriter = look();
      if (writerFirst) {
        assertThat(grant(writer, writing, seenByWriter)).isInstanceOf(AcquireResult.Granted.class);
        assertThat(grant(overtaker, overtaking, seenByOvertaker)).isNull();
      } else {
        assertThat(grant(overtaker, overtaking, seenByOvertaker))
            .isInstanceOf(AcquireResult.Granted.class);
        assertThat(grant(writer, writing, seenByWriter)).isNull();
      }
      new Departure(writer).run().join();
      new Departure(overtaker).run().join();
    }
  }

  @Test
  void anOwnerWithoutItsNodeHoldsNothing() {
    Place writer = placeWithNode(writing);
    Children seen = look();
    session.delete(writer.path(), -1).join();
    assertThat(grant(writer, writing, seen)).isNull();
    assertThat(writer.hasNode()).isFalse();
    assertThat(writer.isGranted()).isFalse();
  }

  @Test
  void anOwnerThatSeesTheEndOfItsNodeMeanwhileHoldsNothing() {
    Place writer = placeWithNode(writing);
    OneShotWatch self = writer.watchForSelf(() -> {});
    writer.watchesSelf(self);
    Children seen = look();
    self.fired(true);
    assertThat(grant(writer, writing, seen)).isNull();
    assertThat(writer.isGranted()).isFalse();
  }

  @Test
  void aLateGrantHasATokenAboveAllEarlierTransactions() {
    Place writer = placeWithNode(writing);
    long since = session.write(paths.of(resource), new byte[0], -1).join().changedBy();
    AcquireResult.Granted granted =
        (AcquireResult.Granted) Objects.requireNonNull(grant(writer, writing, look()));
    assertThat(granted.tokens().first())
        .isGreaterThan(engine.fence().tokens(session, since).join().last());
  }
}
