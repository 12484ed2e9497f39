package io.holdfast.compat.program;

import io.holdfast.testservers.TestCertificate;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Locks on a ZooKeeper server that speaks TLS only, and on Redis if it is there. Server and clients
 * use the Netty of the class path.
 */
public final class ZooKeeperTls {
  private static final int TICK_MILLIS = 2_000;
  private static final String PATIENT = "?timeout=30s&connectTimeout=60s";

  private ZooKeeperTls() {}

  /** The entry point. */
  public static void main(String[] urls) throws Exception {
    RunningThreads before = RunningThreads.now();
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
      // Threads inherit the group, so those of the server are told from those of the clients.
      ThreadGroup group = new ThreadGroup("server");
      ServerCnxnFactory connections = in(group, ZooKeeperTls::startServer);
      Consumer.lockOn("zookeeper://127.0.0.1:" + connections.getLocalPort() + PATIENT);
      in(
          group,
          () -> {
            connections.shutdown();
            return true;
          });
      for (String url : urls) {
        if (url.startsWith("redis:")) {
          Consumer.lockOn(url);
        }
      }
      before.awaitEndOfOthers();
    }
    System.exit(0);
  }

  private static <T> T in(ThreadGroup group, Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    new Thread(group, task, "server").start();
    return task.get();
  }

  private static ServerCnxnFactory startServer() throws Exception {
    File data = Files.createTempDirectory("zookeeper").toFile();
    ServerCnxnFactory connections = ServerCnxnFactory.createFactory();
    connections.configure(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100, -1, true);
    connections.startup(new ZooKeeperServer(data, data, TICK_MILLIS));
    return connections;
  }
}
