package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.BackendException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rules of a line, without a server. */
class LineTest {
  private final List<String> names = new ArrayList<>();
  private int sequence;

  private String add(Resource.Kind kind, Claim claim) {
    Owner owner = new Owner("c", "t" + sequence);
    String name =
        Ticket.prefix(kind, claim, owner) + String.format(Locale.ENGLISH, "%010d", sequence++);
    names.add(name);
    return name;
  }

  private String lock() {
    return add(Resource.Kind.LOCK, Claim.EXCLUSIVE);
  }

  private String rw(Claim claim) {
    return add(Resource.Kind.READ_WRITE, claim);
  }

  private String permits(int number, int of) {
    return add(Resource.Kind.SEMAPHORE, Claim.permits(number, of));
  }

  private Line line(Resource.Kind kind) {
    List<String> shuffled = new ArrayList<>(names);
    Collections.shuffle(shuffled);
    return Line.of(new Resource(kind, "k"), shuffled);
  }

  private Verdict judge(Resource.Kind kind, String name, String... overtakers) {
    Line line = line(kind);
    return line.judge(Objects.requireNonNull(line.named(name)), Set.of(overtakers));
  }

  private static String watched(Verdict verdict) {
    return verdict.watched() == null ? "the line" : verdict.watched().name();
  }

  @Test
  void inALockTheFirstHoldsAndEachOtherWatchesItsPredecessor() {
    String a = lock();
    String b = lock();
    String c = lock();
    assertThat(judge(Resource.Kind.LOCK, a).turn()).isTrue();
    assertThat(judge(Resource.Kind.LOCK, a).contended()).isTrue();
    assertThat(watched(judge(Resource.Kind.LOCK, b))).isEqualTo(a);
    assertThat(watched(judge(Resource.Kind.LOCK, c))).isEqualTo(b);
    assertThat(judge(Resource.Kind.LOCK, c).before()).isEqualTo(2);
  }

  @Test
  void sequenceNumbersMayWrapAround() {
    sequence = Integer.MAX_VALUE - 1;
    String a = lock();
    String b = lock();
    String c = lock(); // -2147483648
    assertThat(c).endsWith("~-2147483648");
    assertThat(judge(Resource.Kind.LOCK, a).turn()).isTrue();
    assertThat(watched(judge(Resource.Kind.LOCK, b))).isEqualTo(a);
    assertThat(watched(judge(Resource.Kind.LOCK, c))).isEqualTo(b);
  }

  @Test
  void repeatedSequenceNumbersAreAnErrorBecauseTheOrderIsUnknown() {
    sequence = Integer.MAX_VALUE;
    lock();
    sequence = Integer.MAX_VALUE;
    names.add("lock~c:other~2147483647");
    assertThatThrownBy(() -> judge(Resource.Kind.LOCK, names.get(0)))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("sequence numbers");
  }

  @Test
  void foreignNamesAreIgnored() {
    names.addAll(
        List.of(
            "x",
            "lock~",
            "lock~c:t~",
            "lock~ct~0000000000",
            "lock~c:t~12",
            "permits~5~x~c:t~0000000000",
            "permits~-1~2~c:t~0000000000",
            "limit~2~9999999999",
            "part~x~c",
            "limit~1",
            "read~c:t~000000000x",
            "_c_1234-lock-0000000001"));
    sequence = 5;
    assertThat(judge(Resource.Kind.LOCK, lock()).turn()).isTrue();
  }

  @Test
  void readersHoldTogetherUpToTheFirstWriter() {
    String r1 = rw(Claim.READ);
    String r2 = rw(Claim.READ);
    String w = rw(Claim.WRITE);
    String r3 = rw(Claim.READ);
    String w2 = rw(Claim.WRITE);
    String r4 = rw(Claim.READ);
    assertThat(judge(Resource.Kind.READ_WRITE, r1).turn()).isTrue();
    assertThat(judge(Resource.Kind.READ_WRITE, r2).contended()).isTrue();
    assertThat(watched(judge(Resource.Kind.READ_WRITE, w))).isEqualTo(r2);
    assertThat(watched(judge(Resource.Kind.READ_WRITE, r3))).isEqualTo(w);
    assertThat(watched(judge(Resource.Kind.READ_WRITE, w2))).isEqualTo(r3);
    assertThat(watched(judge(Resource.Kind.READ_WRITE, r4))).isEqualTo(w2);
    assertThat(judge(Resource.Kind.READ_WRITE, w2).holders())
        .extracting(Ticket::name)
        .containsExactly(r1, r2);
  }

  @Test
  void aReaderMayOvertakeAWriterThatWaitsAndNotOneThatHolds() {
    rw(Claim.WRITE);
    assertThat(judge(Resource.Kind.READ_WRITE, rw(Claim.READ_FIRST)).turn()).isFalse();
    names.clear();
    rw(Claim.READ);
    String w = rw(Claim.WRITE);
    String first = rw(Claim.READ_FIRST);
    assertThat(judge(Resource.Kind.READ_WRITE, first).overtakes()).isTrue();
    names.remove(0);
    assertThat(judge(Resource.Kind.READ_WRITE, w).turn()).isTrue();
    assertThat(watched(judge(Resource.Kind.READ_WRITE, w, first))).isEqualTo(first);
  }

  @Test
  void aDowngradedWriterIsAReader() {
    String w = rw(Claim.WRITE);
    String r = rw(Claim.READ);
    assertThat(watched(judge(Resource.Kind.READ_WRITE, r))).isEqualTo(w);
    names.add(Line.partName(1, new Owner("c", "t0")));
    assertThat(judge(Resource.Kind.READ_WRITE, r).turn()).isTrue();
    assertThat(line(Resource.Kind.READ_WRITE).partOf(new Owner("c", "t0"))).isNotNull();
  }

  @Test
  void permitsAreGrantedInOrder() {
    String a = permits(2, 4);
    String b = permits(1, 4);
    String c = permits(2, 4);
    String d = permits(1, 4);
    assertThat(judge(Resource.Kind.SEMAPHORE, a).turn()).isTrue();
    assertThat(judge(Resource.Kind.SEMAPHORE, b).turn()).isTrue();
    assertThat(watched(judge(Resource.Kind.SEMAPHORE, c))).isEqualTo("the line");
    assertThat(watched(judge(Resource.Kind.SEMAPHORE, d))).isEqualTo(c);
    names.add(Line.limitName(4, 6));
    assertThat(judge(Resource.Kind.SEMAPHORE, d).turn()).isTrue();
    assertThat(line(Resource.Kind.SEMAPHORE).limit()).isEqualTo(6);
    assertThat(line(Resource.Kind.SEMAPHORE).limitNode()).isEqualTo("limit~4~6");
  }

  @Test
  void anOwnerThatWantsMoreThanTheLimitDoesNotStandInLine() {
    String a = permits(3, 4);
    assertThat(hasEnoughFor(a)).isTrue();
    names.add(Line.limitName(4, 2));
    assertThat(hasEnoughFor(a)).isFalse();
    assertThat(hasEnoughFor(permits(5, 2))).isFalse();
    names.set(1, Line.limitName(2, Integer.MAX_VALUE));
    assertThat(hasEnoughFor(permits(5, 2))).isTrue();
  }

  private boolean hasEnoughFor(String name) {
    Line line = line(Resource.Kind.SEMAPHORE);
    return line.hasEnoughFor(Objects.requireNonNull(line.named(name)));
  }

  @Test
  void anotherLimitIsAnErrorUnlessTheLimitWasChanged() {
    permits(3, 4);
    String other = permits(1, 5);
    assertThatThrownBy(() -> judge(Resource.Kind.SEMAPHORE, other))
        .hasMessageContaining("4 permits")
        .hasMessageContaining("same number");
    names.add(Line.limitName(4, 6));
    assertThat(judge(Resource.Kind.SEMAPHORE, other).turn()).isTrue();
  }

  @Test
  void aKeyHasOneKind() {
    String a = lock();
    names.add(LatchNodes.GATE);
    assertThatThrownBy(() -> judge(Resource.Kind.LOCK, a))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("in use as a latch");
  }
}
