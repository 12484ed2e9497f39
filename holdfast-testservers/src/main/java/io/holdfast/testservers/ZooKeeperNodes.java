package io.holdfast.testservers;

import io.holdfast.testkit.internal.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.KeeperException.NotEmptyException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.util.ServiceUtils;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the nodes of ZooKeeper servers and changes them by hand, as an operator would, with a
 * session of its own.
 */
public final class ZooKeeperNodes implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(30);
  private static final int SESSION_MILLIS = 20_000;

  /** What a server makes the password of a session of, so that any other server can check it. */
  private static final long SECRET_OF_SESSIONS = 0XB3415C00L;

  private final ZooKeeper zooKeeper;

  private ZooKeeperNodes(ZooKeeper zooKeeper) {
    this.zooKeeper = zooKeeper;
  }

  /** Connects to {@code host:port,host:port}. */
  public static ZooKeeperNodes connect(String servers) {
    return new ZooKeeperNodes(connect(servers, 0, new byte[0], CONNECT));
  }

  private static ZooKeeper connect(
      String servers, long session, byte[] password, Duration patience) {
    CountDownLatch connected = new CountDownLatch(1);
    try {
      ZooKeeper zooKeeper =
          session == 0
              ? new ZooKeeper(servers, SESSION_MILLIS, event -> connected.countDown())
              : new ZooKeeper(
                  servers,
                  SESSION_MILLIS,
                  event -> {
                    if (event.getState() == KeeperState.SyncConnected
                        || event.getState() == KeeperState.Expired) {
                      connected.countDown();
                    }
                  },
                  session,
                  password);
      if (!connected.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("no connection to " + servers);
      }
      return zooKeeper;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
  }

  /**
   * For servers that are started later in this JVM: empty containers go soon, and a server that
   * cannot go on does not end the JVM with all the tests in it, which is what it would do. Why it
   * cannot is in its log.
   */
  static void prepareJvm() {
    ServiceUtils.setSystemExitProcedure(ServiceUtils.LOG_ONLY);
    if (System.getProperty("znode.container.checkIntervalMs") == null) {
      System.setProperty("znode.container.checkIntervalMs", "200");
    }
    System.setProperty("zookeeper.4lw.commands.whitelist", "srvr, wchp");
  }

  /** Ends a session: takes it over, with the password that its server gave it, and closes it. */
  static void expire(String servers, long session, Duration patience) {
    byte[] password = new byte[16];
    new Random(session ^ SECRET_OF_SESSIONS).nextBytes(password);
    ZooKeeper usurper = connect(servers, session, password, patience);
    try {
      usurper.close();
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
  }

  /** The answer of one server to a command of four letters, such as {@code srvr}. */
  public static List<String> ask(String host, int port, String command) {
    try (Socket socket = new Socket(host, port)) {
      socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      return new ArrayList<>(reader.lines().toList());
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The names of the children; empty if there is no such node. */
  public List<String> children(String path) {
    sync();
    List<String> names = call(() -> zooKeeper.getChildren(path, false));
    return names == null ? List.of() : names;
  }

  /** What ZooKeeper knows of a node; null if there is none. */
  public @Nullable Stat stat(String path) {
    sync();
    return call(() -> zooKeeper.exists(path, false));
  }

  /** The data of a node; null if there is none. */
  public @Nullable String data(String path) {
    sync();
    byte[] data = call(() -> zooKeeper.getData(path, false, null));
    return data == null ? null : new String(data, StandardCharsets.UTF_8);
  }

  /** Makes a node that stays. */
  public void create(String path) {
    call(
        () ->
            zooKeeper.create(
                path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
  }

  /** Lets everyone look at a node, and nobody change it. */
  public void makeReadOnly(String path) {
    call(() -> zooKeeper.setACL(path, ZooDefs.Ids.READ_ACL_UNSAFE, -1));
  }

  /** Deletes a node and everything below it in one step, if it is there. */
  public void deleteAll(String path) {
    sync();
    call(
        () -> {
          while (zooKeeper.exists(path, false) != null && !deleted(path)) {
            Thread.onSpinWait(); // somebody added or removed a node meanwhile
          }
          return true;
        });
  }

  /** Deletes nodes that are there in one step, in this order. */
  public void deleteAtOnce(List<String> paths) {
    List<Op> deletions = paths.stream().map(path -> Op.delete(path, -1)).toList();
    call(() -> zooKeeper.multi(deletions));
  }

  private boolean deleted(String path) throws KeeperException, InterruptedException {
    List<Op> deletions = new ArrayList<>();
    for (String each : ZKUtil.listSubTreeBFS(zooKeeper, path)) {
      deletions.add(0, Op.delete(each, -1)); // those below first
    }
    try {
      zooKeeper.multi(deletions);
      return true;
    } catch (NotEmptyException | NoNodeException e) {
      return false;
    }
  }

  /** The server of this session may be behind the others of an ensemble: it catches up first. */
  private void sync() {
    CountDownLatch answered = new CountDownLatch(1);
    zooKeeper.sync("/", (code, path, context) -> answered.countDown(), null);
    call(() -> answered.await(CONNECT.toMillis(), TimeUnit.MILLISECONDS));
  }

  private interface Question<T> {
    T ask() throws KeeperException, InterruptedException;
  }

  private static <T> @Nullable T call(Question<T> question) {
    try {
      return question.ask();
    } catch (NoNodeException e) {
      return null;
    } catch (KeeperException e) {
      throw new IllegalStateException("ZooKeeper refused", e);
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
  }

  @Override
  public void close() {
    call(
        () -> {
          zooKeeper.close();
          return true;
        });
  }
}
