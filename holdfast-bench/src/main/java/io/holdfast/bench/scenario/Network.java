package io.holdfast.bench.scenario;

import io.holdfast.bench.store.StoreServer;
import io.holdfast.testservers.FaultyProxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The way from clients to servers: the loopback interface, or with a delay put in between. */
public final class Network implements AutoCloseable {
  private final Duration eachWay;
  private final Map<Integer, FaultyProxy> proxies = new HashMap<>();

  /** Adds this much in each direction; nothing at all for zero. */
  public Network(Duration eachWay) {
    this.eachWay = eachWay;
  }

  /** Where clients of the server connect. */
  public String url(StoreServer server) {
    if (eachWay.isZero() || server.port() == 0) {
      return server.url();
    }
    FaultyProxy proxy =
        proxies.computeIfAbsent(
            server.port(),
            port -> {
              FaultyProxy made = FaultyProxy.to("127.0.0.1", port);
              made.delay(eachWay);
              return made;
            });
    return server.urlAt(proxy.port());
  }

  /** The delay in each direction. */
  public Duration eachWay() {
    return eachWay;
  }

  @Override
  public void close() {
    proxies.values().forEach(FaultyProxy::close);
  }
}
