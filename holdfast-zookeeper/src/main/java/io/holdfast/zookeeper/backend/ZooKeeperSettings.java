package io.holdfast.zookeeper.backend;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to reach ZooKeeper.
 *
 * @param servers {@code host:port,host:port}
 * @param chroot the path under which everything stands; empty for none
 * @param sessionTimeout what is asked of the servers, which may give more or less
 * @param connectTimeout how long opening may take
 * @param timeout how long an attempt may take
 * @param digest {@code user:password} for digest authentication; null for none
 * @param sasl the section of the JAAS configuration for SASL; null for none
 */
public record ZooKeeperSettings(
    String servers,
    String chroot,
    Duration sessionTimeout,
    Duration connectTimeout,
    Duration timeout,
    @Nullable String digest,
    @Nullable String sasl) {

  /** True if nodes shall belong to the user who creates them. */
  boolean authenticates() {
    return digest != null || sasl != null;
  }

  @Override
  public String toString() {
    return "zookeeper://" + (digest != null ? "***@" : "") + servers + chroot;
  }
}
