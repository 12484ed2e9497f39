package io.holdfast.jdbc.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NotificationTest {
  private static final long NOW = 1_700_000_000_000_000L;

  @Test
  void notificationsSurviveEncodingAndGoToOtherProcessesOnly() {
    Resource lock = Resource.lock("k");
    ClientIdentity here = new ClientIdentity("here", "h", 1, "a");
    ClientIdentity there = new ClientIdentity("there", "h", 2, "a");
    Rows rows = new Rows(List.of(new Row(lock, Row.idOf("k"), 0, 0, "")), NOW, 0, 0, 0, true);
    rows.step(lock).acquire(request(lock, new Owner("here", "t1")), here);
    rows.step(lock).acquire(request(lock, new Owner("there", "t2")), there);
    assertThat(Notification.to(rows, "there"))
        .containsExactly(new Notification(Notification.channelOf("here"), "wanted t1"));
    assertThat(Notification.to(rows, "here")).isEmpty();
    rows.step(lock).release(new Owner("here", "t1"));
    List<Notification> notifications = Notification.to(rows, "here");
    assertThat(notifications).hasSize(1);
    assertThat(notifications.get(0).channel())
        .isEqualTo(Notification.channelOf("there"))
        .hasSizeLessThan(63);
    assertThat(Notification.read(notifications.get(0).payload()))
        .isEqualTo(new Notification.Granted("t2", NOW + 2, NOW, 1500, false));
    assertThat(Notification.read("lost t1")).isEqualTo(new Notification.Lost("t1"));
    assertThat(Notification.read("changed t1")).isEqualTo(new Notification.Changed("t1"));
  }

  private static AcquireRequest request(Resource lock, Owner owner) {
    return new AcquireRequest(lock, owner, Claim.EXCLUSIVE, 30_000, "main", true, 3000, "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hello", "granted", "granted 1 2 3", "granted a b c d e", "wanted"})
  void aPayloadOfUnknownFormIsIgnored(String payload) {
    assertThat(Notification.read(payload)).isNull();
  }
}
