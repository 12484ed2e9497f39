package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.ClientIdentity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When the lease of another owner has ended. */
class LeaseBookTest {
  private static final long EPOCH = 1L << 32;
  private static final long LEASE = 10_000;

  private final LeaseBook book = new LeaseBook();

  private LeaseBook.Entry note(NodeData.State state, long lease, long seenAt) {
    NodeData data =
        NodeData.of(new ClientIdentity("c", "h", 1, "a"), "t", lease, "").in(state, lease, 0, 0);
    NodeStat stat = new NodeStat(5 * EPOCH, 5 * EPOCH + 7, 1_000, 50_000, 1, 99);
    return book.note(
        "/p", new Content(new String(data.bytes(), StandardCharsets.UTF_8), stat), seenAt);
  }

  private static NodeStat written(long epoch, long at) {
    return new NodeStat(epoch * EPOCH, epoch * EPOCH + 100, at, at, 0, 98);
  }

  private static long nanos(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }

  @Test
  void aLeaseEndsByTheClockOfTheLeaderThatWroteBothNodes() {
    LeaseBook.Entry held = note(NodeData.State.HELD, LEASE, 0);
    assertThat(held.isOver(written(5, 60_000), nanos(1))).isFalse();
    assertThat(held.isOver(written(5, 60_001), nanos(1))).isTrue();
  }

  @Test
  void underAnotherLeaderALeaseEndsAfterItsWholeLengthHere() {
    LeaseBook.Entry held = note(NodeData.State.HELD, LEASE, 0);
    assertThat(held.isOver(written(6, 999_999), nanos(LEASE))).isFalse();
    assertThat(held.isOver(written(6, 0), nanos(LEASE + LEASE / 10 + 1))).isTrue();
  }

  @Test
  void anOwnerWithoutAClaimGetsTimeToClaim() {
    LeaseBook.Entry waiting = note(NodeData.State.WAITING, LEASE, nanos(100));
    assertThat(waiting.isOver(written(5, 99_999), nanos(2_000))).isFalse();
    assertThat(waiting.isOver(written(5, 99_999), nanos(2_101))).isTrue();
    ServerClock clock = new ServerClock();
    clock.heard(99_999, nanos(100));
    assertThat(waiting.millisLeft(clock, nanos(100))).isEqualTo(2_000);
  }

  /** Each is seen when the one before it was ended; all of their leases are over. */
  @Test
  void severalThatDoNotTakeTheirTurnHaveTwoSecondsTheFirstAndOneEachOther() {
    assertThat(timeFor(1)).isEqualTo(2_000);
    assertThat(timeFor(3)).isEqualTo(4_000);
    assertThat(timeFor(10)).isEqualTo(11_000);
  }

  private long timeFor(int waiters) {
    LeaseBook fresh = new LeaseBook();
    long now = 0;
    for (int i = 0; i < waiters; i++) {
      String path = "/line/n" + i;
      LeaseBook.Entry entry = fresh.note(path, content(NodeData.State.WAITING), nanos(now));
      while (!entry.isOver(written(5, 99_999), nanos(now))) {
        now++;
      }
      fresh.ended(path, entry.data(), nanos(now));
    }
    return now;
  }

  private static Content content(NodeData.State state) {
    NodeData data =
        NodeData.of(new ClientIdentity("c", "h", 1, "a"), "t", LEASE, "").in(state, LEASE, 0, 0);
    NodeStat stat = new NodeStat(5 * EPOCH, 5 * EPOCH + 7, 1_000, 50_000, 1, 99);
    return new Content(new String(data.bytes(), StandardCharsets.UTF_8), stat);
  }

  @Test
  void aShorterChanceIsForThoseBehindOneThatDidNotTakeItsTurnAndForHalfAMinute() {
    LeaseBook.Entry taken = book.note("/line/a", content(NodeData.State.CLAIMED), 0);
    book.ended("/line/a", taken.data(), 0);
    assertThat(chance("/line/b", 0)).as("the one before had taken its turn").isEqualTo(2_000);
    book.ended("/line/b", content(NodeData.State.WAITING).data(), nanos(5_000));
    assertThat(chance("/line/c", 5_000)).isEqualTo(1_000);
    assertThat(chance("/other/c", 5_000)).as("another line").isEqualTo(2_000);
    assertThat(chance("/line/d", 34_999)).isEqualTo(1_000);
    assertThat(chance("/line/e", 35_000)).isEqualTo(2_000);
  }

  private long chance(String path, long now) {
    LeaseBook.Entry entry = book.note(path, content(NodeData.State.WAITING), nanos(now));
    return Duration.ofNanos(entry.claimNanos()).toMillis();
  }

  @Test
  void aLeaseThatLastsWithItsSessionDoesNotEnd() {
    LeaseBook.Entry held = note(NodeData.State.HELD, 0, 0);
    assertThat(held.isOver(written(5, Long.MAX_VALUE / 2), nanos(999_999))).isFalse();
    assertThat(held.millisLeft(new ServerClock(), 0)).isEqualTo(-1);
  }

  @Test
  void theServerTimeIsKnownFromItsLastWrite() {
    LeaseBook.Entry held = note(NodeData.State.HELD, LEASE, 0);
    ServerClock clock = new ServerClock();
    assertThat(clock.isKnown()).isFalse();
    clock.heard(55_000, nanos(0));
    assertThat(held.millisLeft(clock, nanos(1_000))).isEqualTo(4_001);
    assertThat(held.millisLeft(clock, nanos(6_000))).isZero();
  }

  @Test
  void anUnchangedNodeKeepsTheTimeOfItsFirstReading() {
    note(NodeData.State.HELD, LEASE, 7);
    assertThat(note(NodeData.State.HELD, LEASE, 99).seenAt()).isEqualTo(7);
    book.forget("/p");
    assertThat(note(NodeData.State.HELD, LEASE, 99).seenAt()).isEqualTo(99);
  }
}
