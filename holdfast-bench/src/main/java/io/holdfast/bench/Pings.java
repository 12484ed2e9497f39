package io.holdfast.bench;

import io.holdfast.bench.scenario.Network;
import io.holdfast.bench.store.Store;
import io.holdfast.bench.store.Stores;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How long the network really takes: median round trips of a PING. */
final class Pings {
  private static final int NUMBER = 400;

  private Pings() {}

  /** In microseconds, one for each delay. */
  static List<Double> of(Stores stores, List<Duration> delays) {
    List<Double> medians = new ArrayList<>();
    for (Duration delay : delays) {
      try (Network network = new Network(delay);
          RespClient client = RespClient.connect(network.url(stores.get(Store.REDIS)))) {
        long[] nanos = new long[NUMBER];
        for (int i = 0; i < NUMBER; i++) {
          long start = System.nanoTime();
          client.call("PING");
          nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        medians.add(nanos[NUMBER / 2] / 1000.0);
      }
    }
    return medians;
  }
}
