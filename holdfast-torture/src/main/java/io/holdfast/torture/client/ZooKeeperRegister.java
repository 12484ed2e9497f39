package io.holdfast.torture.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.BadVersionException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** Registers in nodes of ZooKeeper, written only if their version is the one that was read. */
final class ZooKeeperRegister implements Register {
  private static final int SESSION_MILLIS = 10_000;

  private final String servers;
  private @Nullable ZooKeeper client;

  ZooKeeperRegister(String servers) {
    this.servers = servers;
  }

  @Override
  public @Nullable Content writeFenced(String key, long token, String value) throws IOException {
    return write("/register-fenced-" + key, token, value, true);
  }

  @Override
  public Content writePlain(String key, long token, String value) throws IOException {
    Content old = write("/register-plain-" + key, token, value, false);
    return old == null ? new Content(0, "") : old;
  }

  private @Nullable Content write(String path, long token, String value, boolean fenced)
      throws IOException {
    byte[] data = (token + " " + value).getBytes(StandardCharsets.US_ASCII);
    return call(
        zooKeeper -> {
          while (true) {
            try {
              Stat stat = new Stat();
              Content old = parse(zooKeeper.getData(path, false, stat));
              if (fenced && token < old.token()) {
                return null;
              }
              zooKeeper.setData(path, data, stat.getVersion());
              return old;
            } catch (NoNodeException e) {
              create(zooKeeper, path);
            } catch (BadVersionException e) {
              // somebody was faster: look again
            }
          }
        });
  }

  private static void create(ZooKeeper zooKeeper, String path)
      throws KeeperException, InterruptedException {
    try {
      byte[] nothing = "0 ".getBytes(StandardCharsets.US_ASCII);
      zooKeeper.create(path, nothing, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (NodeExistsException e) {
      // good as well
    }
  }

  @Override
  public Content read(String key, boolean fenced) throws IOException {
    String path = (fenced ? "/register-fenced-" : "/register-plain-") + key;
    Content content =
        call(
            zooKeeper -> {
              try {
                // A server may lag behind others; what it has after a sync is what counts.
                zooKeeper.sync(path, (result, on, context) -> {}, null);
                return parse(zooKeeper.getData(path, false, null));
              } catch (NoNodeException e) {
                return null;
              }
            });
    return content == null ? new Content(0, "") : content;
  }

  private static Content parse(byte[] data) {
    String text = new String(data, StandardCharsets.US_ASCII);
    int space = text.indexOf(' ');
    return new Content(Long.parseLong(text.substring(0, space)), text.substring(space + 1));
  }

  private interface Step {
    @Nullable Content run(ZooKeeper zooKeeper) throws KeeperException, InterruptedException;
  }

  private @Nullable Content call(Step step) throws IOException {
    try {
      ZooKeeper connected = client;
      if (connected == null || !connected.getState().isAlive()) {
        connected = new ZooKeeper(servers, SESSION_MILLIS, event -> {});
        client = connected;
      }
      return step.run(connected);
    } catch (KeeperException e) {
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    ZooKeeper connected = client;
    client = null;
    if (connected != null) {
      try {
        connected.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
