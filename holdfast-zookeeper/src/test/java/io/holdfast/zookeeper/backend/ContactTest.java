package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Resource;
import java.util.Objects;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which requests prove that the leader knows the session to be alive, and for how long. */
@Timeout(300)
class ContactTest extends LineFixture {
  private final String node = paths.of(resource) + "/node";

  ContactTest() {
    super(Resource.Kind.LOCK);
  }

  private long contact() {
    return Objects.requireNonNull(session.contact().sentAt());
  }

  private void isNew(Runnable request) {
    long before = System.nanoTime();
    request.run();
    assertThat(contact() - before).isNotNegative();
  }

  private void isOld(Runnable request) {
    long before = contact();
    request.run();
    assertThat(contact()).isEqualTo(before);
  }

  @Test
  void onlyRequestsThatTheLeaderTakesPartInCount() {
    isNew(() -> session.create(node, new byte[0], CreateMode.EPHEMERAL).join());
    isNew(() -> session.write(node, new byte[0], -1).join());
    isNew(() -> session.sync(node).join());
    isOld(() -> session.stat(node, null).join());
    isOld(() -> session.read(node, null).join());
    isOld(() -> session.children(node, null).join());
    isOld(() -> session.write(node, new byte[0], 77).handle((done, fault) -> true).join());
    isNew(() -> session.delete(node, -1).join());
    isOld(() -> session.delete(node, -1).handle((done, fault) -> true).join());
  }

  @Test
  void aContactIsAsOldAsItsRequestNotAsItsAnswer() {
    for (int i = 0; i < 20; i++) {
      long before = System.nanoTime();
      var answer = session.sync(node);
      long sent = System.nanoTime();
      answer.join();
      assertThat(contact() - before).isNotNegative();
      assertThat(sent - contact()).isNotNegative();
    }
  }

  @Test
  void aContactDoesNotOutliveItsConnection() {
    session.sync(node).join();
    session.disconnected();
    assertThat(session.contact().sentAt()).isNull();
    session.contact().confirmed(1, 2);
    session.connected();
    assertThat(session.contact().sentAt()).isNull();
  }

  @Test
  void anOlderRequestDoesNotReplaceALaterOne() {
    Contact contact = new Contact(Long.MAX_VALUE - 10);
    contact.confirmed(Long.MAX_VALUE, 0);
    contact.confirmed(Long.MIN_VALUE, 0); // one later: clock readings may overflow
    assertThat(contact.sentAt()).isEqualTo(Long.MIN_VALUE);
    contact.confirmed(Long.MAX_VALUE - 5, 0);
    assertThat(contact.sentAt()).isEqualTo(Long.MIN_VALUE);
  }

  private static Contact connectedAt(long before) {
    Contact contact = new Contact(before);
    contact.connected(160); // notes signs that are at least ten apart
    return contact;
  }

  @Test
  void aSignCountsOnceItWasSurelyPassedOn() {
    Contact contact = connectedAt(1000);
    contact.confirmed(1100, 1101);
    contact.confirmed(1130, 1200); // took long to arrive
    assertThat(contact.passedOn(1140, 40)).isEqualTo(1000); // connecting was a sign
    assertThat(contact.passedOn(1141, 40)).isEqualTo(1100);
    assertThat(contact.passedOn(1239, 40)).isEqualTo(1100);
    assertThat(contact.passedOn(1240, 40)).isEqualTo(1130);
  }

  @Test
  void signsAreThinnedOutAndTheLastOnesKept() {
    Contact contact = connectedAt(0);
    for (int time = 1; time <= 1000; time++) {
      contact.confirmed(time, time);
    }
    assertThat(contact.passedOn(1000, 40)).isBetween(950L, 960L);
    assertThat(contact.passedOn(1000, 80)).isBetween(910L, 920L);
    assertThat(contact.sentAt()).isEqualTo(1000);
  }

  @Test
  void aReconnectionIsALaterSignThanTheLastOneOfTheFormerConnection() {
    Contact contact = connectedAt(0);
    contact.confirmed(500, 500);
    contact.disconnected();
    assertThat(contact.passedOn(501, 40)).isEqualTo(0); // perhaps not passed on
    contact.connected(160);
    assertThat(contact.passedOn(501, 40)).isEqualTo(500);
  }

  @Test
  void aConnectionIsLaterThanTheLastButOneReadingWithoutAConnection() {
    Contact contact = connectedAt(0);
    contact.disconnectedAt(300);
    contact.disconnectedAt(320);
    contact.disconnectedAt(900); // after a pause: there may be a connection since just after 320
    contact.connected(160);
    assertThat(contact.passedOn(1000, 40)).isEqualTo(320);
  }
}
