package io.holdfast.bench.hops;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testservers.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class HopsTest {

  @Test
  void aWalkShowsTheLayersFromTheShellToTheStore() throws Exception {
    Map<String, Walk> walks;
    try (RedisServer server = RedisServer.builder().start()) {
      walks =
          Hops.measure(server.url()).stream()
              .collect(Collectors.toMap(Walk::name, Function.identity()));
    }
    assertThat(classes(walks, "lock()"))
        .containsSubsequence(
            "io.holdfast.DistributedLock",
            "io.holdfast.internal.local.gate.LocalGate",
            "io.holdfast.internal.engine.Acquisition",
            "io.holdfast.redis.backend.RedisLock");
    assertThat(classes(walks, "lock() again"))
        .as("a re-entry stays in the process")
        .contains("io.holdfast.internal.local.gate.LocalGate")
        .noneMatch(name -> name.startsWith("io.holdfast.redis."));
    assertThat(classes(walks, "unlock() with a local waiter"))
        .as("a local handoff sends no command")
        .noneMatch(name -> name.equals("io.holdfast.redis.backend.RedisLock"));
    assertThat(walks.values())
        .allSatisfy(
            walk -> {
              assertThat(walk.classes()).isBetween(2, walk.hops().size());
              assertThat(walk.switches()).isBetween(1, walk.hops().size());
              assertThat(walk.depth()).isPositive();
            });
  }

  private static List<String> classes(Map<String, Walk> walks, String name) {
    return Objects.requireNonNull(walks.get(name)).hops().stream()
        .map(Walk.Hop::className)
        .toList();
  }
}
