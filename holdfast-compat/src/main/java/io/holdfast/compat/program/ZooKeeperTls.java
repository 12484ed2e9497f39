package io.holdfast.compat.program;

import io.holdfast.testkit.TestCertificate;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Locks on a ZooKeeper server that speaks TLS only, and on Redis if it is there. Server and clients
 * use the Netty of the class path.
 */
public final class ZooKeeperTls {
  private static final int TICK_MILLIS = 2_000;

  private ZooKeeperTls() {}

  /** The entry point. */
  public static void main(String[] urls) throws Exception {
    // Threads of the server do not end with this one.
    Thread.currentThread()
        .setUncaughtExceptionHandler(
            (thread, failure) -> {
              failure.printStackTrace();
              System.exit(1);
            });
    try (TestCertificate certificate = TestCertificate.forLoopback()) {
      System.setProperty("zookeeper.ssl.keyStore.location", certificate.keyStoreFile().toString());
      System.setProperty("zookeeper.ssl.keyStore.password", certificate.password());
      System.setProperty(
          "zookeeper.ssl.trustStore.location", certificate.trustStoreFile().toString());
      System.setProperty("zookeeper.ssl.trustStore.password", certificate.password());
      System.setProperty(
          "zookeeper.serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory");
      System.setProperty(
          "zookeeper.authProvider.x509",
          "org.apache.zookeeper.server.auth.X509AuthenticationProvider");
      System.setProperty("zookeeper.client.secure", "true");
      System.setProperty(
          "zookeeper.clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNetty");
      File data = Files.createTempDirectory("zookeeper").toFile();
      ServerCnxnFactory connections = ServerCnxnFactory.createFactory();
      connections.configure(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100, -1, true);
      connections.startup(new ZooKeeperServer(data, data, TICK_MILLIS));
      Consumer.lockOn("zookeeper://127.0.0.1:" + connections.getLocalPort());
      connections.shutdown();
      for (String url : urls) {
        if (url.startsWith("redis:")) {
          Consumer.lockOn(url);
        }
      }
    }
    System.exit(0);
  }
}
