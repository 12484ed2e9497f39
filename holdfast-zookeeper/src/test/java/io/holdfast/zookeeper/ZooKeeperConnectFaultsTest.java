package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testservers.ZooKeeperServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each cause of a missing session has its own message and advice. */
@Timeout(240)
class ZooKeeperConnectFaultsTest {
  private static AbstractThrowableAssert<?, ? extends Throwable> assertUnavailable(String servers) {
    return assertThatThrownBy(() -> connect(servers))
        .isExactlyInstanceOf(StoreUnavailableException.class)
        .satisfies(e -> assertThat(Throwables.getStackTrace(e)).doesNotContain("secret"));
  }

  private static void connect(String servers) {
    LockManager.create("zookeeper://me:secret@" + servers + "/x?connectTimeout=2s").close();
  }

  @Test
  void anUnknownHost() {
    assertUnavailable("no-such-host.invalid")
        .hasMessageContainingAll("no-such-host.invalid:2181: the host is not known", "2000 ms");
  }

  @Test
  void aServerThatIsDown() {
    try (ZooKeeperServer down = ZooKeeperServer.start()) {
      down.stop();
      assertUnavailable(down.servers())
          .hasMessageContainingAll(down.servers() + ": nothing listens there", "refused");
    }
  }

  @Test
  void eachServerHasItsOwnReason() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ZooKeeperServer down = ZooKeeperServer.start()) {
      down.stop();
      assertUnavailable(down.servers() + ",127.0.0.1:" + silent.getLocalPort())
          .hasMessageContainingAll(
              down.servers() + ": nothing listens there",
              silent.getLocalPort() + ": it accepts connections and does not answer");
    }
  }

  @Test
  void anHttpServer() throws IOException {
    HttpServer web =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    web.createContext("/", exchange -> exchange.close());
    web.start();
    try {
      assertThatThrownBy(() -> connect("127.0.0.1:" + web.getAddress().getPort()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("127.0.0.1:" + web.getAddress().getPort())
          .hasMessageContaining("does not answer");
    } finally {
      web.stop(0);
    }
  }
}
