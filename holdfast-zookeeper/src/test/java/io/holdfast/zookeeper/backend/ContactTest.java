package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Resource;
import java.util.Objects;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What counts as a sign that the leader knows the session to be alive, and for how long. */
@Timeout(60)
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
  void onlyWhatTheLeaderHasAPartInCounts() {
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
  void itIsAsOldAsTheRequestAndNotAsTheAnswer() {
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
  void itDoesNotOutliveItsConnection() {
    session.sync(node).join();
    session.disconnected();
    assertThat(session.contact().sentAt()).isNull();
    session.contact().confirmed(1);
    session.connected();
    assertThat(session.contact().sentAt()).isNull();
  }

  @Test
  void anOlderRequestDoesNotReplaceAYoungerOne() {
    Contact contact = new Contact();
    contact.confirmed(Long.MAX_VALUE);
    contact.confirmed(Long.MIN_VALUE); // one later: clock readings may overflow
    assertThat(contact.sentAt()).isEqualTo(Long.MIN_VALUE);
    contact.confirmed(Long.MAX_VALUE - 5);
    assertThat(contact.sentAt()).isEqualTo(Long.MIN_VALUE);
  }
}
