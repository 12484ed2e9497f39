package io.holdfast.zookeeper;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.zookeeper.backend.ZooKeeperBackend;

/**
 * Opens {@code zookeeper://[user:password@]host[:port][,host[:port]...][/chroot][?option=value]}.
 *
 * <pre>{@code
 * LockManager manager = LockManager.create("zookeeper://zk1:2181,zk2:2181,zk3:2181/shop");
 * }</pre>
 *
 * <p>Options: {@code sessionTimeout} (30s), {@code connectTimeout} (10s), {@code timeout} (5s, of
 * one attempt), {@code sasl} (a section of the JAAS configuration).
 */
public final class ZooKeeperBackendProvider implements LockBackendProvider {
  /** Found by {@link java.util.ServiceLoader}. */
  public ZooKeeperBackendProvider() {}

  @Override
  public boolean accepts(String url) {
    return url.startsWith(ZooKeeperUrl.SCHEME);
  }

  @Override
  public String urlForms() {
    return ZooKeeperUrl.FORM;
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    return new ZooKeeperBackend(ZooKeeperUrl.parse(url), context);
  }
}
