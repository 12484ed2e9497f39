package io.holdfast.zookeeper.backend;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a connection.
 *
 * @param servers {@code host:port,host:port}
 * @param chroot the path above all nodes of Holdfast; empty for none
 * @param sessionTimeout the requested session time-out; the servers may grant more or less
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

  /** True if nodes belong to the user who creates them. */
  boolean authenticates() {
    return digest != null || sasl != null;
  }

  @Override
  public String toString() {
    return "zookeeper://" + (digest != null ? "***@" : "") + servers + chroot;
  }
}
