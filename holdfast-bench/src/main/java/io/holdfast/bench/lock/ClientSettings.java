package io.holdfast.bench.lock;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a client needs to know.
 *
 * @param url where the store is
 * @param kind which kind of lock
 * @param lease how long the store keeps the lock of a silent holder, with renewal switched on; null
 *     for whatever the library does when it is told nothing
 */
public record ClientSettings(String url, LockKind kind, @Nullable Duration lease) {
  String host() {
    return URI.create(url).getHost();
  }

  int port() {
    return URI.create(url).getPort();
  }
}
