package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Users and chroots. */
@Timeout(300)
class ZooKeeperAuthTest {
  private final ZooKeeperServer server = ZooKeeperServer.start();
  private final ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers());

  @AfterEach
  void close() {
    nodes.close();
    server.close();
  }

  private LockManager open(String user, String chroot) {
    return LockManager.create("zookeeper://" + user + server.servers() + chroot + Patience.LASTING);
  }

  @Test
  void aChrootIsCreatedAndKeepsLocksApart() {
    try (LockManager here = open("", "/shop/eu");
        LockManager there = open("", "/shop/us");
        Lease lease = here.getLock("k").acquire()) {
      assertThat(lease.isValid()).isTrue();
      assertThat(there.getLock("k").tryLock()).isTrue();
      there.getLock("k").unlock();
      assertThat(nodes.children("/shop/eu/holdfast/k")).hasSize(1);
      assertThat(nodes.children("/holdfast")).isEmpty();
    }
  }

  @Test
  void nodesBelongToTheUserOfTheUrl() {
    try (LockManager mine = open("me:secret@", "");
        LockManager mineToo = open("me:secret@", "");
        Lease lease = mine.getLock("k").acquire()) {
      assertThat(lease.isValid()).isTrue();
      assertThat(mineToo.getLock("k").tryLock()).isFalse();
      assertThat(mineToo.getLock("k").info().isLocked()).isTrue();
      assertThatThrownBy(() -> nodes.children("/holdfast/k"))
          .hasMessageContaining("ZooKeeper refused");
    }
  }

  @Test
  void anotherUserOrNoneGetsAdviceOnConnecting() {
    try (LockManager mine = open("me:secret@", "")) {
      mine.getLock("k").lock();
      for (String user : new String[] {"me:wrong@", "you:secret@", ""}) {
        assertThatThrownBy(() -> open(user, ""))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("no right")
            .hasMessageContaining("same user and password")
            .hasMessageNotContaining("secret");
      }
      mine.getLock("k").unlock();
    }
  }

  @Test
  void underAnOpenRootAKeyStillBelongsToItsUser() {
    open("", "").close();
    try (LockManager mine = open("me:secret@", "");
        LockManager stranger = open("", "")) {
      mine.getLock("k").lock();
      assertThatThrownBy(() -> stranger.getLock("k").tryLock())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("no right");
      assertThatThrownBy(() -> stranger.getLock("k").lock())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("no right");
      mine.getLock("k").unlock();
      stranger.getLock("another").lock();
      stranger.getLock("another").unlock();
    }
  }

  @Test
  void aUserNeedsNoPermissionAboveItsOwnRoot() {
    nodes.create("/shop");
    try (LockManager admin = open("admin:pw@", "/shop/locks")) {
      admin.getLock("k").lock();
      admin.getLock("k").unlock();
    }
    nodes.makeReadOnly("/shop");
    try (LockManager again = open("admin:pw@", "/shop/locks")) {
      again.getLock("k").lock();
      again.getLock("k").unlock();
    }
    assertThatThrownBy(() -> open("", "/shop/others")).hasMessageContaining("no right");
  }
}
